#pragma once
// The requests of interop/PROTOCOL.md for a test's own lock.

#include "driver_process.hpp"

#include <string>

namespace holdfast::interop {

using namespace std::chrono_literals;

/// Leases that all clients can have. The short one is waited for, the long one is not.
inline constexpr milliseconds short_lease = 1500ms;
inline constexpr milliseconds long_lease = 30500ms;

/// What a busy machine may add to anything.
inline constexpr milliseconds slack = 500ms;

/// How long our waiter may take to notice a plain lock that was given up without a word to us.
inline constexpr milliseconds our_longest_poll = 200ms;

class lock_requests {
public:
    /// The name of a lock that no other test of this program uses.
    lock_requests();

    [[nodiscard]] const std::string& name() const { return name_; }
    /// `try HOLD NAME LEASE OPTIONS` and `acquire ... WAIT ...`.
    [[nodiscard]] std::string try_by(const std::string& hold, milliseconds lease = long_lease,
                                     const std::string& options = "") const;
    [[nodiscard]] std::string wait_by(const std::string& hold, milliseconds lease = long_lease,
                                      milliseconds wait = 2 * long_lease,
                                      const std::string& options = "") const;
    [[nodiscard]] std::string ask() const { return "ask " + name_; }

private:
    std::string name_;
};

} // namespace holdfast::interop
