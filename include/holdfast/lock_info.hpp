#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast {

/// How a lock is held: alone, with other readers, or as some of N permits.
enum class mode : std::uint8_t { exclusive, shared, permits };

/// The kind of lock that a name is in use as. The engine sees a recursive_mutex as a mutex: only
/// the client counts.
enum class primitive : std::uint8_t { mutex, shared_mutex, semaphore };

/// One holder or waiter, as the engine knows it.
struct party {
    std::string owner{};     ///< `<client uuid>:<number>`
    std::uint64_t token = 0; ///< 0 for a waiter
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    std::string host{};
    std::int64_t pid = 0; ///< for people; the engine does not rely on it
    std::string note{};
    std::chrono::system_clock::time_point since{}; ///< of grant or request; 1970: unknown
    std::chrono::milliseconds remaining{0};        ///< until its deadline; a century if it has none
    bool resting = false;               ///< released or expired, but kept until min_hold has passed
    std::chrono::milliseconds age{0};   ///< since then, by the engine's clock; 0: unknown
    std::chrono::milliseconds lease{0}; ///< that it asked for; 0 if the engine does not know it
};

/// What the engine knows of one name.
struct lock_info {
    std::string name{};
    primitive kind = primitive::mutex;
    unsigned limit = 1;           ///< the most permits of a semaphore
    bool resized = false;         ///< the limit was set by counting_semaphore::resize
    std::uint64_t last_token = 0; ///< the highest token issued; 0 if none, or if forgotten
    std::vector<party> holders{};
    std::vector<party> waiters{}; ///< first in, first out
};

} // namespace holdfast
