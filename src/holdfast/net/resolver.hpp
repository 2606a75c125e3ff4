#pragma once
// Resolves a host name on a thread of its own, so that the caller does not block.

#include "holdfast/net/address.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::net {

struct resolution {
    std::vector<address> addresses{}; ///< in the order in which to try them
    std::string failure{};            ///< set if there are no addresses
};

using lookup_function = std::function<resolution(const std::string& host, std::uint16_t port)>;

/// getaddrinfo(), which may block for long. Returns at most `max_addresses`.
[[nodiscard]] resolution system_lookup(const std::string& host, std::uint16_t port);
inline constexpr std::size_t max_addresses = 16;

/// One lookup on a detached thread. Destroying the resolver does not wait for the thread, whose
/// result is then discarded. At most `max_lookups` run at a time in a process.
///
/// Thread safety: none.
class resolver {
public:
    static constexpr unsigned max_lookups = 64;

    /// Throws std::system_error if the system refuses a descriptor. If it refuses a thread, the
    /// resolution is a failure.
    resolver(const std::string& host, std::uint16_t port, const lookup_function& lookup);

    /// Becomes readable when the result is available, and stays readable.
    [[nodiscard]] int descriptor() const noexcept;
    /// Moves the result out; empty if it is not available yet, or was taken before.
    [[nodiscard]] std::optional<resolution> take();

private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

} // namespace holdfast::net
