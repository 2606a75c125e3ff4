#pragma once

#include <holdfast/export.hpp>
#include <holdfast/options.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace holdfast {

namespace core {
class client_core;
} // namespace core

/// A connection to the place where locks live, shared by all locks made from it.
///
///     holdfast::client local;                                  // embedded: this host, no server
///     holdfast::client other{"embedded:/var/lib/shop/locks"};  // a file of your choice
///     holdfast::client here{"memory:"};                        // this process only, for tests
///
/// Nothing is opened before the first operation; a URL that cannot be understood throws
/// invalid_url or unsupported at once. An engine that cannot be reached is tried for
/// `connect_wait`, or until the time-out of the call; then the operation throws unavailable. A try
/// is one attempt.
///
/// The destructor of the last that uses the connection waits for requests without an answer, e.g.
/// releases, for 500 ms at most.
///
/// A client that was moved from can only be destroyed or assigned to.
///
/// Thread safety: all members may be called from any thread. Locks and leases keep what they need
/// alive: they may outlive the client. After fork() a client is inert in the child: every operation
/// fails with errc::forked. Make a new one there.
class HOLDFAST_API client {
public:
    client(); ///< the embedded engine at its default path
    explicit client(std::string_view url, client_options options = {});
    client(client&&) noexcept;
    client& operator=(client&&) noexcept;
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client();

    /// Asks the engine whether it is there and in order; how long that took.
    std::chrono::nanoseconds ping();
    std::chrono::nanoseconds ping(std::error_code& failure);

    /// This client's uuid: the first part of each of its owners.
    [[nodiscard]] std::string id() const;

    /// For the library's own classes.
    [[nodiscard]] const std::shared_ptr<core::client_core>& core() const noexcept { return core_; }

private:
    std::shared_ptr<core::client_core> core_;
};

} // namespace holdfast
