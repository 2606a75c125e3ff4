#pragma once
// Examines the store of a URL, for diagnose().

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/url.hpp"

#include <holdfast/diagnose.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::engine {

/// How far the clock of a server is ahead of ours.
struct clock_reading {
    std::string subject;
    std::chrono::microseconds ahead{0};
    std::chrono::microseconds uncertainty{0}; ///< it may be off by as much
};

struct checkup_terms {
    base::milliseconds timeout{2000}; ///< for each server: to connect, and for each answer
    bool quorum_node = false;         ///< the store is one of several that vote
};

/// What a store was found to be.
struct checkup {
    std::vector<finding> findings{};
    std::vector<clock_reading> clocks{};
    bool usable = true; ///< false: it certainly cannot serve locks, so no trial lock is needed

    void ok(std::string check, std::string subject, std::string text) {
        findings.push_back(
            {std::move(check), severity::ok, std::move(subject), std::move(text), {}});
    }
    void warn(std::string check, std::string subject, std::string text, std::string remedy) {
        findings.push_back({std::move(check), severity::warning, std::move(subject),
                            std::move(text), std::move(remedy)});
    }
    void danger(std::string check, std::string subject, std::string text, std::string remedy) {
        findings.push_back({std::move(check), severity::danger, std::move(subject), std::move(text),
                            std::move(remedy)});
    }
    /// Adds the findings and clocks of another store.
    void append(checkup&& other);
};

/// Blocks. Throws error(unsupported) for an engine that there is not, and error(invalid_url).
[[nodiscard]] checkup check_up(const url& url, const checkup_terms& terms);

/// How much the clocks of a store's servers matter.
enum class clock_use : std::uint8_t {
    tokens,    ///< one server: its clock is the only one that counts
    deadlines, ///< several, one after the other, decide about the same lease
    votes,     ///< a quorum: each node judges proposals that clients make by their own clocks
};

/// Judges clocks: each against ours, and against each other.
void judge_clocks(const std::vector<clock_reading>& clocks, clock_use use, checkup& out);

} // namespace holdfast::engine
