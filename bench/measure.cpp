#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

namespace holdfast::bench {

spread spread_of(std::vector<double> samples) {
    if (samples.empty()) { return {}; }
    std::sort(samples.begin(), samples.end());
    const auto at = [&](double part) {
        return samples[static_cast<std::size_t>(part * static_cast<double>(samples.size() - 1))];
    };
    return {at(0.1), at(0.5), at(0.9)};
}

std::vector<spread> interleave(const std::vector<contender>& all, int rounds) {
    using clock = std::chrono::steady_clock;
    std::vector<std::vector<double>> samples(all.size());
    for (int round = -1; round < rounds; ++round) { // one more, to warm up
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto start = clock::now();
            for (int cycle = 0; cycle < all[i].cycles; ++cycle) { all[i].cycle(); }
            const std::chrono::duration<double, std::micro> took = clock::now() - start;
            if (round >= 0) { samples[i].push_back(took.count() / all[i].cycles); }
        }
    }
    std::vector<spread> out;
    out.reserve(samples.size());
    for (auto& contender_samples : samples) {
        out.push_back(spread_of(std::move(contender_samples)));
    }
    return out;
}

namespace {

bool meets(const figure& row) {
    if (row.bar <= 0) { return true; }
    const auto compared =
        row.floor.empty() ? row.value.median : row.value.median / row.floor_value.median;
    return compared <= row.bar;
}

} // namespace

bool report(const std::vector<figure>& rows) {
    bool all_met = true;
    std::printf("%-42s %10s %21s   %-34s %10s %7s  %s\n", "figure (microseconds)", "median",
                "10 % .. 90 %", "floor", "median", "ratio", "bar");
    for (const auto& row : rows) {
        std::printf("%-42s %10.2f %10.2f .. %7.2f   ", row.name.c_str(), row.value.median,
                    row.value.low, row.value.high);
        if (row.floor.empty()) {
            std::printf("%-34s %10s %7s  ", "-", "-", "-");
        } else {
            std::printf("%-34s %10.2f %7.2f  ", row.floor.c_str(), row.floor_value.median,
                        row.value.median / row.floor_value.median);
        }
        if (row.bar > 0) {
            std::printf("<= %.2f%s %s", row.bar, row.floor.empty() ? " us" : "x",
                        meets(row) ? "met" : "MISSED");
            all_met = all_met && meets(row);
        }
        std::printf("\n");
    }
    return all_met;
}

void write_json(const std::string& file, const std::vector<figure>& rows) {
    std::ofstream out{file};
    out << "[\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& row = rows[i];
        out << "  {\"figure\": \"" << row.name << "\", \"us\": " << row.value.median
            << ", \"us_p10\": " << row.value.low << ", \"us_p90\": " << row.value.high;
        if (!row.floor.empty()) {
            out << ", \"floor\": \"" << row.floor << "\", \"floor_us\": " << row.floor_value.median
                << ", \"ratio\": " << row.value.median / row.floor_value.median;
        }
        if (row.bar > 0) { out << ", \"bar\": " << row.bar; }
        out << (i + 1 < rows.size() ? "},\n" : "}\n");
    }
    out << "]\n";
}

} // namespace holdfast::bench
