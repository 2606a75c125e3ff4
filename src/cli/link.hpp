#pragma once
// What the two processes of `holdfast run` tell each other.
//
// The front is what the shell started: it gets the signals. The guardian holds the lock, is the
// parent of the child, and ends the child's whole tree in time. Either can be killed or stopped
// without the child outliving the lease: the other one sees to it.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <utility>

namespace holdfast::cli {

struct word {
    enum class kind : std::uint8_t {
        // guardian to front
        ready,    ///< number: the child's process id; it begins when the front says `go`
        stopped,  ///< the child was stopped, and not the whole job
        exited,   ///< number: the child's wait status; nothing of it is left
        released, ///< after exited: the engine has answered, or is asked no more
        finished, ///< number: an exit code of Holdfast's own
        // front to guardian
        go,     ///< from now on signals are the child's; those that came before were a `cancel`
        signal, ///< number: send it to the child
        cancel, ///< stop waiting for the lock, or end the child
    };
    kind what{};
    std::int64_t number = 0;
};

/// One end of the line between the two.
class link_end {
public:
    explicit link_end(base::fd end) : end_{std::move(end)} {}

    /// Makes a line; first is the front's end.
    [[nodiscard]] static std::pair<link_end, link_end> make();

    void say(word word) const noexcept;
    /// Empty: nothing there, or, if `closed`, nothing will ever be.
    [[nodiscard]] std::optional<word> hear(bool& closed) const noexcept;
    [[nodiscard]] int descriptor() const noexcept { return end_.get(); }
    void close() noexcept { end_.reset(); }

private:
    base::fd end_;
};

/// When nothing of the child may run any more. In memory that both processes have, and not said
/// over the line: a front that was stopped for hours knows the latest at once, and no queue fills.
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
    static_assert(value::is_always_lock_free, "or it would not work between processes");
    value* at_;
};

} // namespace holdfast::cli
