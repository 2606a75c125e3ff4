#pragma once
// The loss of a lease as a descriptor, for those who poll.

#include "cli/bell.hpp"

#include <holdfast/lease.hpp>

#include <stop_token>

namespace holdfast::cli {

/// Readable from the moment that the lease is lost.
class loss_bell {
public:
    explicit loss_bell(const lease& held) : lost_{held.lost(), ring{bell_}} {}

    [[nodiscard]] int descriptor() const noexcept { return bell_.descriptor(); }

private:
    struct ring {
        const bell& to;
        void operator()() const noexcept { to.ring(); } ///< on a thread of the library's
    };

    bell bell_;
    std::stop_callback<ring> lost_;
};

} // namespace holdfast::cli
