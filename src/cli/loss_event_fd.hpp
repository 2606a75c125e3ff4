#pragma once
// The loss of a lease as a descriptor to poll.

#include "cli/event_fd.hpp"

#include <holdfast/lease.hpp>

#include <stop_token>

namespace holdfast::cli {

/// Readable from the moment that the lease is lost.
class loss_event_fd {
public:
    explicit loss_event_fd(const lease& held) : callback_{held.lost(), signal_event{event_}} {}

    [[nodiscard]] int descriptor() const noexcept { return event_.descriptor(); }

private:
    struct signal_event {
        const event_fd& event;
        void operator()() const noexcept { event.signal(); } ///< on one of the library's threads
    };

    event_fd event_;
    std::stop_callback<signal_event> callback_;
};

} // namespace holdfast::cli
