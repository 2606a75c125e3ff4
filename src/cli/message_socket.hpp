#pragma once
// Messages between the two processes of `holdfast run`.
//
// The front is the process that the shell started; it receives the signals. The guardian holds the
// lock, is the parent of the child, and ends the child's whole tree in time. If either is killed or
// stopped, the other one ends the child before the lease expires.

#include "holdfast/base/fd.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace holdfast::cli {

struct message {
    enum class kind : std::uint8_t {
        // guardian to front
        granted,  ///< number: a token of the lock; one message for each name that has one
        ready,    ///< number: the child's process id; the child waits for `start`
        stopped,  ///< the child was stopped, and not the whole job
        exited,   ///< number: the child's wait status; no process of its tree is left
        released, ///< after exited: the release was answered, or failed
        finished, ///< number: an exit code of Holdfast's own
        // front to guardian
        start,  ///< later signals are for the child; earlier ones cancelled the wait
        signal, ///< number: send it to the child
        cancel, ///< stop waiting for the lock, or end the child
    };
    kind type{};
    std::int64_t number = 0;
};

/// One end of a socket pair between the two.
class message_socket {
public:
    explicit message_socket(base::fd socket) : socket_{std::move(socket)} {}

    /// Makes both ends; the first is for the front. Throws std::runtime_error.
    [[nodiscard]] static std::pair<message_socket, message_socket> make_pair();

    void send(message message) const noexcept;
    /// Empty if there is no message; `closed` if none will ever come.
    [[nodiscard]] std::optional<message> receive(bool& closed) const noexcept;
    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
    void close() noexcept { socket_.reset(); }

private:
    base::fd socket_;
};

} // namespace holdfast::cli
