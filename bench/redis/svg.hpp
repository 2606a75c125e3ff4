#pragma once
// The parts of SVG that a bar chart and a line chart need.

#include <string>
#include <utility>
#include <vector>

namespace holdfast::bench::redis {

struct point {
    double x = 0;
    double y = 0;
};

enum class anchor { start, middle, end };

/// With a white background, so that it is readable on any page.
class svg {
public:
    svg(double width, double height);

    void text(point position, const std::string& content, anchor anchor = anchor::start);
    void bar(point corner, double width, double height, const std::string& colour);
    void line(point from, point to, const std::string& colour, double thickness = 1);
    /// A line with a dot at each point.
    void curve(const std::vector<point>& points, const std::string& colour);

    void write(const std::string& file) const; ///< throws std::runtime_error

private:
    double width_;
    double height_;
    std::string body_;
};

} // namespace holdfast::bench::redis
