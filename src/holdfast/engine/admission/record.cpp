#include "holdfast/engine/admission/record.hpp"

#include <chrono>

namespace holdfast::engine::admission {

namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

/// Clocks are set and holds end early, so no record is left alone for longer.
constexpr base::duration longest_look = 10min;
constexpr base::duration shortest_look = 1s;

/// A minute past the highest token, as a wall clock.
std::int64_t past_tokens(const record& state) noexcept {
    return static_cast<std::int64_t>(state.high_water) + microseconds{idle_memory}.count();
}

} // namespace

bool forgettable(const record& state, base::instant now, std::int64_t wall_us) noexcept {
    const bool past = state.high_water == 0 || wall_us >= past_tokens(state);
    return state.idle() && now >= state.keep_until && past;
}

base::instant look_again(const record& state, base::instant now, std::int64_t wall_us) noexcept {
    base::instant next = state.keep_until;
    for (const hold& each : state.holds) {
        next = std::max(next, base::later(each.ends(), idle_memory));
    }
    const base::instant latest = base::later(now, longest_look);
    if (next < latest && past_tokens(state) > wall_us) {
        const microseconds ahead{past_tokens(state) - wall_us};
        next = ahead < longest_look ? std::max(next, base::later(now, ahead)) : latest;
    }
    return std::clamp(next, base::later(now, shortest_look), latest);
}

} // namespace holdfast::engine::admission
