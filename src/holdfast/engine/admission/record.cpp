#include "holdfast/engine/admission/record.hpp"

#include <chrono>

namespace holdfast::engine::admission {

namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

/// A clock may be set and a hold may end early, so every record is checked at least this often.
constexpr base::duration longest_interval = 10min;
constexpr base::duration shortest_interval = 1s;

/// When the highest token is a minute old, as a wall-clock time.
std::int64_t token_retention_end(const record& state) noexcept {
    return static_cast<std::int64_t>(state.high_water) + microseconds{idle_retention}.count();
}

} // namespace

bool is_deletable(const record& state, base::instant now, std::int64_t wall_us) noexcept {
    const bool past = state.high_water == 0 || wall_us >= token_retention_end(state);
    return state.idle() && now >= state.keep_until && past;
}

base::instant next_idle_check(const record& state, base::instant now,
                              std::int64_t wall_us) noexcept {
    base::instant next = state.keep_until;
    for (const hold_record& each : state.holds) {
        next = std::max(next, base::later(each.ends(), idle_retention));
    }
    const base::instant latest = base::later(now, longest_interval);
    if (next < latest && token_retention_end(state) > wall_us) {
        const microseconds ahead{token_retention_end(state) - wall_us};
        next = ahead < longest_interval ? std::max(next, base::later(now, ahead)) : latest;
    }
    return std::clamp(next, base::later(now, shortest_interval), latest);
}

} // namespace holdfast::engine::admission
