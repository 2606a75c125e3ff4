#pragma once
// The loss of a lease as a descriptor to poll.

#include "cli/event_fd.hpp"

#include <stop_token>
#include <utility>

namespace holdfast::cli {

/// Readable from the moment that the lease is lost.
class loss_event_fd {
public:
    /// `lost`: of a lease or a set.
    explicit loss_event_fd(std::stop_token lost)
        : callback_{std::move(lost), signal_event{event_}} {}

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
