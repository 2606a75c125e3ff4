#pragma once
// Messages between the two processes of `holdfast run`.
//
// The front is the process that the shell started; it receives the signals. The guardian holds the
// lock, is the parent of the child, and ends the child's whole tree in time. If either is killed or
// stopped, the other one ends the child before the lease expires.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <utility>

namespace holdfast::cli {

struct message {
    enum class kind : std::uint8_t {
        // guardian to front
        ready,    ///< number: the child's process id; it starts after `go`
        stopped,  ///< the child was stopped, and not the whole job
        exited,   ///< number: the child's wait status; nothing of it is left
        released, ///< after exited: the release has its reply, or is given up
        finished, ///< number: an exit code of Holdfast's own
        // front to guardian
        go,     ///< later signals are for the child; earlier ones cancelled the wait
        signal, ///< number: send it to the child
        cancel, ///< stop waiting for the lock, or end the child
    };
    kind type{};
    std::int64_t number = 0;
};

/// One end of the connection between the two.
class link_end {
public:
    explicit link_end(base::fd end) : end_{std::move(end)} {}

    /// Makes both ends; the first is for the front.
    [[nodiscard]] static std::pair<link_end, link_end> make();

    void send(message message) const noexcept;
    /// Empty if there is no message; `closed` if none will ever come.
    [[nodiscard]] std::optional<message> receive(bool& closed) const noexcept;
    [[nodiscard]] int descriptor() const noexcept { return end_.get(); }
    void close() noexcept { end_.reset(); }

private:
    base::fd end_;
};

/// The time by which no process of the child may run any more. It is in shared memory and not a
/// message: a front that was stopped for hours sees the latest value at once, and no queue fills.
class shared_deadline {
public:
    shared_deadline();
    shared_deadline(const shared_deadline&) = delete;
    shared_deadline& operator=(const shared_deadline&) = delete;
    ~shared_deadline();

    void set(base::instant at) noexcept { *at_ = at.time_since_epoch().count(); }
    [[nodiscard]] base::instant get() const noexcept { return base::instant{base::duration{*at_}}; }

private:
    using value = std::atomic<base::duration::rep>;
    static_assert(value::is_always_lock_free, "required between processes");
    value* at_;
};

} // namespace holdfast::cli
