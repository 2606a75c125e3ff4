#include "redis/plots.hpp"

#include "redis/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace holdfast::bench::redis {

namespace {

constexpr const char* ink = "#333333";
constexpr const char* faint = "#dddddd";
constexpr const char* ours_colour = "#2a6fb0";
constexpr const char* floor_colour = "#999999";
constexpr const char* missed_colour = "#c8553d";

std::string digits(double value, int places) {
    std::array<char, 32> out{};
    std::snprintf(out.data(), out.size(), "%.*f", places, value);
    return out.data();
}

void plot_ratios(const std::string& file, const std::vector<result>& rows) {
    std::vector<const result*> shown;
    double widest = 1.5;
    for (const auto& row : rows) {
        if (row.floor.empty() || row.bar <= 0) { continue; }
        shown.push_back(&row);
        widest = std::max({widest, row.bar, row.compared().median});
    }
    if (shown.empty()) { return; }
    constexpr double left = 400;
    constexpr double across = 340;
    constexpr double top = 50;
    constexpr double step = 26;
    const auto bottom = top + step * static_cast<double>(shown.size());
    svg out{left + across + 180, bottom + 20};
    const auto x = [widest](double ratio) { return left + across * ratio / widest; };
    out.text({10, 22}, "Ratio to the floor; the black mark is the bar. Red: missed.");
    out.line({x(1), top - 14}, {x(1), bottom}, faint);
    out.text({x(1), top - 18}, "1", anchor::middle);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto& row = *shown[i];
        const auto y = top + step * static_cast<double>(i);
        const auto ratio = row.compared().median;
        out.text({left - 8, y + 13}, row.name + " / " + row.floor, anchor::end);
        out.bar({left, y}, x(ratio) - left, step - 8, row.met() ? ours_colour : missed_colour);
        out.line({x(row.bar), y - 2}, {x(row.bar), y + step - 6}, "black", 2);
        out.text({std::max(x(ratio), x(row.bar)) + 6, y + 13}, digits(ratio, 2) + "  (" +
                                                                   (row.at_most ? "<= " : ">= ") +
                                                                   digits(row.bar, 2) + ")");
    }
    out.write(file);
}

/// 1, 2 or 5 times a power of ten, for about five lines.
double grid_step(double highest) {
    const auto power = std::pow(10, std::floor(std::log10(highest / 4)));
    const auto part = highest / 4 / power;
    return power * (part < 2 ? 1 : part < 5 ? 2 : 5);
}

void plot_waiters(const std::string& file, const std::vector<result>& rows) {
    std::vector<const result*> shown;
    double highest = 0;
    for (const auto& row : rows) {
        if (row.crowd <= 0) { continue; }
        shown.push_back(&row);
        highest = std::max({highest, spread_of(row.ours).median, spread_of(row.floors).median});
    }
    if (shown.empty() || highest <= 0) { return; }
    constexpr double left = 70;
    constexpr double right = 560;
    constexpr double top = 40;
    constexpr double bottom = 300;
    const auto x = [](int crowd) { // by logarithm, from 4 to 2,000
        const auto part = std::log(crowd / 4.0) / std::log(2'000 / 4.0);
        return left + (right - left) * part;
    };
    const auto y = [highest](double value) {
        return bottom - (bottom - top) * value / (1.05 * highest);
    };
    svg out{right + 20, bottom + 50};
    out.text({10, 20}, "Hand-offs per second, by number of waiters for one lock");
    for (double value = 0; value <= highest; value += grid_step(highest)) {
        out.line({left, y(value)}, {right, y(value)}, value > 0 ? faint : ink);
        out.text({left - 8, y(value) + 4}, digits(value, 0), anchor::end);
    }
    std::vector<point> ours;
    std::vector<point> floors;
    for (const auto* const row : shown) {
        ours.push_back({x(row->crowd), y(spread_of(row->ours).median)});
        floors.push_back({x(row->crowd), y(spread_of(row->floors).median)});
        out.text({x(row->crowd), bottom + 18}, std::to_string(row->crowd), anchor::middle);
    }
    out.curve(floors, floor_colour);
    out.curve(ours, ours_colour);
    constexpr double legend = bottom + 40;
    out.bar({left, legend - 9}, 12, 10, ours_colour);
    out.text({left + 18, legend}, "Holdfast");
    out.bar({left + 100, legend - 9}, 12, 10, floor_colour);
    out.text({left + 118, legend}, shown.front()->floor);
    out.write(file);
}

} // namespace

void write_plots(const std::string& folder, const std::vector<result>& rows) {
    std::filesystem::create_directories(folder);
    plot_ratios(folder + "/redis-ratios.svg", rows);
    plot_waiters(folder + "/redis-waiters.svg", rows);
}

} // namespace holdfast::bench::redis
