#pragma once
// As much of SVG as a bar chart and a line chart need.

#include <string>
#include <utility>
#include <vector>

namespace holdfast::bench::redis {

struct at {
    double x = 0;
    double y = 0;
};

enum class anchor { start, middle, end };

/// On white, so that it can be read wherever it is shown.
class svg {
public:
    svg(double width, double height);

    void text(at where, const std::string& what, anchor anchor = anchor::start);
    void bar(at corner, double width, double height, const std::string& colour);
    void line(at from, at to, const std::string& colour, double thickness = 1);
    /// With a dot at each point.
    void curve(const std::vector<at>& points, const std::string& colour);

    void write(const std::string& file) const; ///< throws std::runtime_error

private:
    double width_;
    double height_;
    std::string body_;
};

} // namespace holdfast::bench::redis
