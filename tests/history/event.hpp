#pragma once
// What a history is made of: what each process asked for, was given, and lost, with the instant.
//
// Stamps are chosen so that the checker can only miss a moment, never invent one: a hold is
// recorded when its holder already has it (granted) and given up before anybody else can know
// (released).

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

/// Before the request is sent. An owner asks once: the next request on a name has another owner, or
/// comes after this one's hold has ended.
struct requested {
    static constexpr std::string_view word = "requested";
    std::string name{};
    std::string owner{};
    history::mode mode{mode::exclusive};
    unsigned n{1};
    unsigned limit{1};
    std::chrono::nanoseconds lease{};
};

/// When the caller has its lease. valid_until is N of promise P2, as known at this moment. The
/// token is zero throughout on an engine that gives none.
struct granted {
    static constexpr std::string_view word = "granted";
    std::string name{};
    std::string owner{};
    std::uint64_t token{};
    stamp valid_until{};
};

/// When the holder's lease became longer, or it decided that it is shorter: from here on valid()
/// goes by the new N. Who only notices it some time later, as one that was stopped meanwhile,
/// records the latest moment that was surely before it as `since`; zero if that is the same.
struct renewed {
    static constexpr std::string_view word = "renewed";
    std::string name{};
    std::string owner{};
    stamp valid_until{};
    stamp since{};
};

/// Just before the release is sent: the lease stops being valid here.
struct released {
    static constexpr std::string_view word = "released";
    std::string name{};
    std::string owner{};
};

/// lost() fired. Its own stamp is when that was written down; `fired` is when it happened, zero if
/// that is the same. valid_until is what the lease said then, zero if unknown.
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
/// signal, zero if that is the same: from there on nobody acts on the victim's leases, and an
/// engine that notices deaths may already have passed them on. For a process that exits holding,
/// too.
struct killed {
    static constexpr std::string_view word = "killed";
    int victim{};
    stamp sent{};
};

/// An operator broke the name; recorded when the engine has answered. Who held it until then is
/// outside P1(b) from `sent` on (zero: from this stamp). With a token, so is every exclusive hold
/// up to it, however late its holder came to record its grant.
struct broken {
    static constexpr std::string_view word = "broken";
    std::string name{};
    std::uint64_t token{};
    stamp sent{};
};

using happening = std::variant<requested, granted, renewed, released, lost, gave_up, wrote, resumed,
                               killed, broken>;

struct event {
    stamp at{};
    int pid{};
    int thread{};          ///< counted from 1 in each process
    std::string process{}; ///< a label for people
    happening type{};
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
