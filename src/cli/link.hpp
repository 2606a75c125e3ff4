#pragma once
// What the two processes of `holdfast run` tell each other.
//
// The front is what the shell started: it has the terminal and gets the signals. The guardian holds
// the lock, is the parent of the child, and ends the child's whole tree in time. Either can be
// killed or stopped without the child outliving the lease: the other one sees to it.

#include "holdfast/base/fd.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace holdfast::cli {

struct word {
    enum class kind : std::uint8_t {
        // guardian to front
        started,  ///< number: the child's process group
        deadline, ///< number: CLOCK_BOOTTIME in ns at which nothing of the child may run any more
        stopped,  ///< number: the signal that stopped the child
        exited,   ///< number: the child's wait status
        finished, ///< number: an exit code of Holdfast's own
        // front to guardian
        signal, ///< number: send it to the child's group
        resume, ///< number: 1 if the child is to have the terminal
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

    void say(word what) const noexcept;
    /// Empty: nothing there, or, if `closed`, nothing will ever be.
    [[nodiscard]] std::optional<word> hear(bool& closed) const noexcept;
    [[nodiscard]] int descriptor() const noexcept { return end_.get(); }
    void close() noexcept { end_.reset(); }

private:
    base::fd end_;
};

} // namespace holdfast::cli
