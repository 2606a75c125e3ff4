#pragma once
// Five Redis servers for the benchmark.

#include "redis/server.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace holdfast::bench::quorum {

inline constexpr std::size_t node_count = 5;
inline constexpr std::size_t minority = 2;

using port_list = std::array<std::uint16_t, node_count>;

class server_set {
public:
    [[nodiscard]] port_list ports() const;
    /// `more` is added to the query: "&layout=plain".
    [[nodiscard]] std::string url(const std::string& more = {}) const;
    [[nodiscard]] const redis::server& first() const noexcept { return servers_.front(); }

    void unpin() const; ///< the kernel decides where they and this process run
    void kill_minority() noexcept;
    void freeze_minority() const;

private:
    std::array<redis::server, node_count> servers_;
};

} // namespace holdfast::bench::quorum
