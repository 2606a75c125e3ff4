#pragma once
// What happened in a run, for people.

#include "sim/world/sim_time.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace holdfast::sim {

/// Keeps nothing unless it is switched on: most runs are right, and need no text.
///
/// Thread safety: none.
class timeline {
public:
    void switch_on() noexcept { is_on_ = true; }
    [[nodiscard]] bool is_on() const noexcept { return is_on_; }

    /// `describe()` makes the line.
    template <typename Describe>
    void add(sim_time now, const std::string& actor, Describe describe) {
        if (is_on_) { lines_.push_back(stamp(now) + "  " + actor + "  " + describe()); }
    }
    [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

    /// In milliseconds, e.g. `   123.456`.
    [[nodiscard]] static std::string stamp(sim_time now) {
        std::array<char, 32> text{};
        const double ms = std::chrono::duration<double, std::milli>(now).count();
        std::snprintf(text.data(), text.size(), "%11.3f", ms);
        return text.data();
    }

private:
    bool is_on_ = false;
    std::vector<std::string> lines_;
};

} // namespace holdfast::sim
