#pragma once
// The loss of a lease as a descriptor, for those who poll.

#include "holdfast/base/fd.hpp"

#include <holdfast/lease.hpp>

#include <stop_token>

namespace holdfast::cli {

/// Readable from the moment that the lease is lost.
class loss_bell {
public:
    /// Throws std::system_error if there is no descriptor to be had.
    explicit loss_bell(const lease& held);

    [[nodiscard]] int descriptor() const noexcept { return bell_.get(); }

private:
    struct ring {
        int bell;
        void operator()() const noexcept; ///< on a thread of the library's
    };

    base::fd bell_;
    std::stop_callback<ring> lost_;
};

} // namespace holdfast::cli
