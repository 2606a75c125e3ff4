#include "redis/svg.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace holdfast::bench::redis {

namespace {

/// With one digit after the point: a tenth of a pixel.
std::string num(double value) {
    std::array<char, 32> out{};
    std::snprintf(out.data(), out.size(), "%.1f", value);
    return out.data();
}

std::string attribute(const char* name, const std::string& value) {
    return ' ' + std::string{name} + "=\"" + value + '"';
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        default: out += c;
        }
    }
    return out;
}

} // namespace

svg::svg(double width, double height) : width_{width}, height_{height} {
    bar({0, 0}, width, height, "white");
}

void svg::text(point position, const std::string& content, anchor anchor) {
    const char* const side = anchor == anchor::start    ? "start"
                             : anchor == anchor::middle ? "middle"
                                                        : "end";
    body_ += "<text" + attribute("x", num(position.x)) + attribute("y", num(position.y)) +
             attribute("text-anchor", side) + '>' + escaped(content) + "</text>\n";
}

void svg::bar(point corner, double width, double height, const std::string& colour) {
    body_ += "<rect" + attribute("x", num(corner.x)) + attribute("y", num(corner.y)) +
             attribute("width", num(width)) + attribute("height", num(height)) +
             attribute("fill", colour) + "/>\n";
}

void svg::line(point from, point to, const std::string& colour, double thickness) {
    body_ += "<line" + attribute("x1", num(from.x)) + attribute("y1", num(from.y)) +
             attribute("x2", num(to.x)) + attribute("y2", num(to.y)) + attribute("stroke", colour) +
             attribute("stroke-width", num(thickness)) + "/>\n";
}

void svg::curve(const std::vector<point>& points, const std::string& colour) {
    std::string coordinates;
    for (const auto& point_of_curve : points) {
        coordinates += num(point_of_curve.x) + ',' + num(point_of_curve.y) + ' ';
    }
    if (!coordinates.empty()) { coordinates.pop_back(); }
    body_ += "<polyline fill=\"none\" stroke-width=\"2\"" + attribute("points", coordinates) +
             attribute("stroke", colour) + "/>\n";
    for (const auto& point_of_curve : points) {
        body_ += "<circle r=\"3.5\"" + attribute("cx", num(point_of_curve.x)) +
                 attribute("cy", num(point_of_curve.y)) + attribute("fill", colour) + "/>\n";
    }
}

void svg::write(const std::string& file) const {
    std::ofstream out{file};
    out << R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 )" << num(width_) << ' '
        << num(height_) << '"' << attribute("width", num(width_))
        << attribute("height", num(height_)) << R"( font-family="sans-serif" font-size="12">)"
        << '\n'
        << body_ << "</svg>\n";
    out.close();
    if (!out) { throw std::runtime_error{"cannot write " + file}; }
}

} // namespace holdfast::bench::redis
