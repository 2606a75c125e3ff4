#pragma once
// The events of a history: what each process requested, was granted and lost, with a time stamp.
//
// A hold is recorded after its grant and before its release is sent, so it is never recorded as
// longer than it was: the checker may miss a violation, but does not invent one.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace holdfast::history {

/// Nanoseconds of CLOCK_BOOTTIME: one clock for all processes of a host.
using stamp = std::chrono::nanoseconds;
inline constexpr stamp never = stamp::max();

enum class mode { exclusive, shared, permits };
enum class reason { timeout, cancelled, failed };

/// Recorded before the request is sent. An owner sends one request: the next request on a name has
/// another owner, or comes after this one's hold has ended.
struct requested {
    static constexpr std::string_view word = "requested";
    std::string name{};
    std::string owner{};
    history::mode mode{mode::exclusive};
    unsigned n{1};
    unsigned limit{1};
    std::chrono::nanoseconds lease{};
};

/// Recorded when the caller has its lease. valid_until is N of promise P2, as known at this moment.
/// The token is always zero on an engine without tokens.
struct granted {
    static constexpr std::string_view word = "granted";
    std::string name{};
    std::string owner{};
    std::uint64_t token{};
    stamp valid_until{};
};

/// The holder's lease became longer or shorter: from here on valid() uses the new N. A holder that
/// notices it later, e.g. because it was stopped, records as `since` the latest moment that was
/// surely before the change; zero: the same as the stamp.
struct renewed {
    static constexpr std::string_view word = "renewed";
    std::string name{};
    std::string owner{};
    stamp valid_until{};
    stamp since{};
};

/// Recorded just before the release is sent: from here on the lease is not valid.
struct released {
    static constexpr std::string_view word = "released";
    std::string name{};
    std::string owner{};
};

/// lost() fired. The stamp is when it was recorded; `fired` is when it happened, zero if that is
/// the same. valid_until is the lease's N at that time, zero if unknown.
struct lost {
    static constexpr std::string_view word = "lost";
    std::string name{};
    std::string owner{};
    stamp valid_until{};
    stamp fired{};
};

/// The request ended without a grant.
struct gave_up {
    static constexpr std::string_view word = "gave_up";
    std::string name{};
    std::string owner{};
    reason why{reason::timeout};
};

/// A write to a store that knows tokens, recorded when the store has answered. `begun` is the
/// moment before it was sent, zero if that is the same. A counter's new value makes lost updates
/// visible.
struct wrote {
    static constexpr std::string_view word = "wrote";
    std::string name{};
    std::string owner{};
    std::uint64_t token{};
    bool accepted{true};
    stamp begun{};
    std::optional<std::int64_t> value{};
};

/// Recorded by the test that stopped a process: `from` before SIGSTOP was sent, `to` after SIGCONT.
struct resumed {
    static constexpr std::string_view word = "resumed";
    int victim{};
    stamp from{};
    stamp to{};
};

/// Recorded by the test that killed a process, once it is reaped. `sent` is the moment before the
/// signal, zero if that is the same: from there on no process uses the victim's leases, and an
/// engine that notices deaths may grant them to others. Also recorded for a process that exits
/// while it holds a lock.
struct killed {
    static constexpr std::string_view word = "killed";
    int victim{};
    stamp sent{};
};

/// An operator broke the lock; recorded when the engine has answered. P1(b) does not apply to its
/// holders from `sent` on (zero: from this stamp). If there is a token, the same holds for every
/// exclusive hold with a token up to it, even if its grant is recorded later.
struct broken {
    static constexpr std::string_view word = "broken";
    std::string name{};
    std::uint64_t token{};
    stamp sent{};
};

using event_type = std::variant<requested, granted, renewed, released, lost, gave_up, wrote,
                                resumed, killed, broken>;

struct event {
    stamp at{};
    int pid{};
    int thread{};          ///< counted from 1 in each process
    std::string process{}; ///< a label for people
    event_type type{};
    std::size_t line{}; ///< where it was read, zero if it was not
};

/// `at + length` that stays at `never` instead of overflowing.
[[nodiscard]] constexpr stamp later(stamp at, std::chrono::nanoseconds length) noexcept {
    return at > never - length ? never : at + length;
}
[[nodiscard]] inline stamp or_else(stamp given, stamp otherwise) noexcept {
    return given == stamp::zero() ? otherwise : given;
}
[[nodiscard]] inline stamp fired_at(const event& e, const lost& l) noexcept {
    return or_else(l.fired, e.at);
}
[[nodiscard]] inline stamp since(const event& e, const renewed& r) noexcept {
    return or_else(r.since, e.at);
}
[[nodiscard]] inline stamp begun_at(const event& e, const wrote& w) noexcept {
    return or_else(w.begun, e.at);
}
[[nodiscard]] inline stamp sent_at(const event& e, const killed& k) noexcept {
    return or_else(k.sent, e.at);
}
[[nodiscard]] inline stamp sent_at(const event& e, const broken& b) noexcept {
    return or_else(b.sent, e.at);
}

} // namespace holdfast::history
