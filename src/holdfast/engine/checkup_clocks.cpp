#include "holdfast/engine/checkup.hpp"

#include <algorithm>

namespace holdfast::engine {

namespace {

using std::chrono::microseconds;

constexpr microseconds noticeable{1'000'000};      // against our clock
constexpr microseconds apart{100'000};             // among servers: about the margin of a lease
constexpr microseconds far_apart{1'000'000};       // likewise
constexpr microseconds proposal_limit{30'000'000}; // see join.lua and docs/redlock.md

constexpr const char* remedy =
    "synchronise the clocks (chrony or ntpd on every machine), and let them be slewed, not "
    "stepped, while locks are held";

/// REQUIRES: it is not negative.
std::string seconds_text(microseconds amount) {
    const auto thousandths = std::to_string(amount.count() / 1000 % 1000);
    return std::to_string(amount.count() / 1'000'000) + '.' +
           std::string(3 - thousandths.size(), '0') + thousandths + " s";
}

microseconds magnitude(microseconds amount) {
    return amount < microseconds::zero() ? -amount : amount;
}

const char* consequence(clock_use use) {
    switch (use) {
    case clock_use::tokens:
        return "leases do not depend on it, but they end early or late if it is corrected by a "
               "step, and tokens would not rise after lost data";
    case clock_use::deadlines:
        return "a lease that continues on another server after a failover or a move ends early or "
               "late by as much";
    case clock_use::votes:
        return "clients propose tokens by their own clocks, and a node refuses proposals that are "
               "more than 30 s ahead of its clock";
    }
    return "";
}

void judge_ours(const clock_reading& clock, clock_use use, checkup& out) {
    const auto off = magnitude(clock.ahead);
    const auto text = "its clock is " + seconds_text(off) +
                      (clock.ahead < microseconds::zero() ? " behind ours" : " ahead of ours");
    if (off <= noticeable + clock.uncertainty) {
        return out.ok("clock", clock.subject,
                      text + " (measured to within " + seconds_text(clock.uncertainty) + ")");
    }
    const bool refuses = use == clock_use::votes && clock.ahead < -proposal_limit;
    if (refuses) {
        return out.danger("clock", clock.subject,
                          text + ": it refuses the votes of clients whose clock is like ours",
                          remedy);
    }
    out.warn("clock", clock.subject, text + ": " + consequence(use), remedy);
}

void judge_spread(const std::vector<clock_reading>& clocks, clock_use use, checkup& out) {
    const auto [first, last] =
        std::minmax_element(clocks.begin(), clocks.end(),
                            [](const auto& a, const auto& b) { return a.ahead < b.ahead; });
    const auto spread = last->ahead - first->ahead;
    const auto tolerance = first->uncertainty + last->uncertainty;
    const auto text = "the clocks of " + last->subject + " and " + first->subject + " are " +
                      seconds_text(spread) + " apart";
    if (spread <= apart + tolerance) {
        return out.ok("clocks", "all servers",
                      "their clocks agree to within " + seconds_text(spread + tolerance));
    }
    if (spread > far_apart + tolerance && use == clock_use::deadlines) {
        return out.danger("clocks", "all servers", text + ": " + consequence(use), remedy);
    }
    out.warn("clocks", "all servers", text + ": " + consequence(use), remedy);
}

} // namespace

void judge_clocks(const std::vector<clock_reading>& clocks, clock_use use, checkup& out) {
    for (const auto& clock : clocks) { judge_ours(clock, use, out); }
    if (clocks.size() > 1) { judge_spread(clocks, use, out); }
}

} // namespace holdfast::engine
