#include "redis/results.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace holdfast::bench::redis {

namespace {

std::string number(double value) {
    constexpr std::size_t room = 32;
    std::string out(room, '\0');
    const int places = value >= 1'000 ? 0 : value >= 100 ? 1 : 2;
    out.resize(
        static_cast<std::size_t>(std::snprintf(out.data(), out.size(), "%.*f", places, value)));
    return out;
}

void write_spread(std::ostream& out, const char* name, const spread& value) {
    out << ", \"" << name << "\": {\"median\": " << value.median << ", \"p10\": " << value.low
        << ", \"p90\": " << value.high << '}';
}

} // namespace

spread result::compared() const {
    if (floor.empty()) { return spread_of(ours); }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.size() && i < floors.size(); ++i) {
        ratios.push_back(ours[i] / floors[i]);
    }
    return spread_of(std::move(ratios));
}

bool result::met() const {
    if (bar <= 0) { return true; }
    // Rounded as it is printed, so that the table and the verdict agree.
    const auto value = std::round(compared().median * 100) / 100;
    return at_most ? value <= bar : value >= bar;
}

std::string result::verdict() const {
    if (bar <= 0) { return "-"; }
    return (at_most ? "<= " : ">= ") + number(bar) + (met() ? " met" : " MISSED");
}

bool print(const std::vector<result>& rows) {
    bool all_met = true;
    std::printf("%-44s %10s %-11s %-27s %10s %6s %14s  %s\n", "figure", "median", "unit", "floor",
                "median", "ratio", "10 % .. 90 %", "bar");
    for (const auto& row : rows) {
        const auto compared = row.compared();
        std::printf("%-44s %10s %-11s ", row.name.c_str(),
                    number(spread_of(row.ours).median).c_str(), row.unit.c_str());
        if (row.floor.empty()) {
            std::printf("%-27s %10s %6s ", "-", "-", "-");
        } else {
            std::printf("%-27s %10s %6s ", row.floor.c_str(),
                        number(spread_of(row.floors).median).c_str(),
                        number(compared.median).c_str());
        }
        std::printf("%6s .. %-5s  %s\n", number(compared.low).c_str(),
                    number(compared.high).c_str(), row.verdict().c_str());
        all_met = all_met && row.met();
    }
    return all_met;
}

void write_json(const std::string& file, const std::string& machine,
                const std::vector<result>& rows) {
    std::ofstream out{file};
    out << "{\n  \"machine\": \"" << machine << "\",\n  \"figures\": [\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& row = rows[i];
        out << R"(    {"figure": ")" << row.name << R"(", "unit": ")" << row.unit << '"';
        write_spread(out, "value", spread_of(row.ours));
        if (!row.floor.empty()) {
            out << R"(, "floor": ")" << row.floor << '"';
            write_spread(out, "floor_value", spread_of(row.floors));
            write_spread(out, "ratio", row.compared());
        }
        if (row.bar > 0) {
            out << ", \"bar\": " << row.bar << R"(, "sense": ")"
                << (row.at_most ? "at most" : "at least") << R"(", "met": )"
                << (row.met() ? "true" : "false");
        }
        out << (i + 1 < rows.size() ? "},\n" : "}\n");
    }
    out << "  ]\n}\n";
    if (!out) { throw std::runtime_error{"cannot write " + file}; }
}

} // namespace holdfast::bench::redis
