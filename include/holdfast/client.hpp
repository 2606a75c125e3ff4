#pragma once

#include <holdfast/export.hpp>
#include <holdfast/metrics.hpp>
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

namespace detail {
struct access;
} // namespace detail

/// A connection to an engine, which stores the locks. All locks that are made from it share it.
///
///     holdfast::client local;                                  // embedded: this host, no server
///     holdfast::client other{"embedded:/var/lib/shop/locks"};  // a file of your choice
///     holdfast::client fleet{"redis://10.0.0.5"};              // many hosts
///     holdfast::client here{"memory:"};                        // this process only, for tests
///
/// The constructor parses the URL and throws invalid_url or unsupported; the first operation opens
/// the connection. While the engine cannot be reached, a call retries for `connect_wait`, or until
/// its time-out, and then fails with unavailable. A try makes one attempt.
///
/// When the last user of the connection is destroyed (client, lock or lease), its destructor waits
/// for pending requests such as releases, for 500 ms at most.
///
/// A client that was moved from can only be destroyed or assigned to.
///
/// Thread safety: all members may be called from any thread. Locks and leases keep the connection
/// alive: they may outlive the client, and a thread that waits in a lock is not affected when
/// the client is destroyed. After fork() a client is inert in the child: every operation
/// fails with forked. Make a new one there.
class HOLDFAST_API client {
public:
    /// The embedded engine at its default path.
    client();

    /// Throws invalid_url, unsupported or invalid_option; does no I/O.
    explicit client(std::string_view url, client_options options = {});

    client(client&&) noexcept;
    client& operator=(client&&) noexcept;
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client();

    /// Checks that the engine can be reached and works, and returns how long that took.
    std::chrono::nanoseconds ping();
    std::chrono::nanoseconds ping(std::error_code& failure);

    /// This client's uuid: the first part of the id of each of its owners.
    [[nodiscard]] std::string id() const;

    /// What the client has done so far. Reads numbers only: it waits for no lock and delays none.
    /// Numbers that change meanwhile may differ by an operation in progress. Zeros if
    /// client_options::metrics is off.
    [[nodiscard]] holdfast::metrics metrics() const noexcept;

private:
    friend struct detail::access;

    std::shared_ptr<core::client_core> core_;
};

} // namespace holdfast
