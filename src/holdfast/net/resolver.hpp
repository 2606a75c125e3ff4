#pragma once
// Finds the addresses of a host name without making anybody wait.

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
    std::string failure{};            ///< why there are none
};

using lookup = std::function<resolution(const std::string& host, std::uint16_t port)>;

/// Asks the system, which blocks, perhaps for long. At most `most_addresses` of them.
[[nodiscard]] resolution system_lookup(const std::string& host, std::uint16_t port);
inline constexpr std::size_t most_addresses = 16;

/// One lookup, on a thread of its own. Whoever loses patience destroys the resolver: the thread
/// finishes alone, for nobody. At most `most_lookups` are under way in a process.
///
/// Thread safety: none.
class resolver {
public:
    static constexpr unsigned most_lookups = 64;

    /// Throws std::system_error if there can be no thread or descriptor now.
    resolver(const std::string& host, std::uint16_t port, const lookup& target);

    /// Becomes readable when the result is there, and stays so.
    [[nodiscard]] int descriptor() const noexcept;
    /// Empty: not yet. Only once.
    [[nodiscard]] std::optional<resolution> take();

private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

} // namespace holdfast::net
