#include "holdfast/engine/admission/record.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace holdfast::engine::admission {

namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

/// A clock may be set and a hold may end early, so every record is checked at least this often.
constexpr base::duration longest_interval = 10min;
constexpr base::duration shortest_interval = 1s;

/// When the highest token is a minute old, as a wall-clock time. A damaged file may contain any
/// token.
std::int64_t token_retention_end(const record& state) noexcept {
    constexpr std::int64_t kept = microseconds{idle_retention}.count();
    constexpr std::uint64_t latest = std::numeric_limits<std::int64_t>::max() - kept;
    return static_cast<std::int64_t>(std::min(state.high_water, latest)) + kept;
}

base::instant kept_until(const record& state) noexcept {
    return state.resized.limit == 0 ? state.keep_until
                                    : base::later(state.keep_until, resized_retention);
}

} // namespace

bool is_deletable(const record& state, base::instant now, std::int64_t wall_us) noexcept {
    const bool past = state.high_water == 0 || wall_us >= token_retention_end(state);
    return state.idle() && now >= kept_until(state) && past;
}

base::instant next_idle_check(const record& state, base::instant now,
                              std::int64_t wall_us) noexcept {
    base::instant next = kept_until(state);
    for (const hold_record& each : state.holds) {
        next = std::max(next, base::later(each.ends(), idle_retention));
    }
    const base::instant latest = base::later(now, longest_interval);
    if (next < latest && token_retention_end(state) > wall_us) {
        const microseconds ahead{token_retention_end(state) - wall_us};
        next = ahead < std::chrono::floor<microseconds>(longest_interval)
                   ? std::max(next, base::later(now, ahead))
                   : latest;
    }
    return std::clamp(next, base::later(now, shortest_interval), latest);
}

} // namespace holdfast::engine::admission
