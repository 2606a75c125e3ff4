#pragma once
// One name on one client: the part that all primitives share.

#include <holdfast/detail/wait_limit.hpp>
#include <holdfast/export.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/lock_info.hpp>
#include <holdfast/options.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <system_error>

namespace holdfast {

class client;

namespace detail {

/// The class that a lock_handle belongs to. The engine sees a recursive_mutex as a mutex, as it
/// does that of a once_flag or an election.
enum class lock_class : std::uint8_t {
    mutex,
    recursive_mutex,
    shared_mutex,
    semaphore,
    cell_mutex,
};

/// Which part of the lock a call wants.
struct share {
    holdfast::mode mode = holdfast::mode::exclusive;
    unsigned permits = 1;
};

/// Not for direct use. A null `failure` means: throw.
class HOLDFAST_API lock_handle {
public:
    lock_handle(const client& client, std::string name, lock_class type, unsigned limit,
                lock_options options);
    lock_handle(const lock_handle&) = delete;
    lock_handle& operator=(const lock_handle&) = delete;
    ~lock_handle();

    [[nodiscard]] const std::string& name() const noexcept;

    /// Empty only with an error, `cancelled` included.
    [[nodiscard]] lease acquire(share wanted, const acquire_options& options,
                                std::error_code* failure);
    /// Empty if someone else held the lock all the time, if stopped, or with an error.
    [[nodiscard]] std::optional<lease> try_acquire(share wanted, wait_limit wait,
                                                   const acquire_options& options,
                                                   std::error_code* failure);

    // Holds of the calling thread.
    bool lock(share wanted, const acquire_options& options, std::error_code* failure);
    [[nodiscard]] bool try_lock(share wanted, wait_limit wait, const acquire_options& options,
                                std::error_code* failure);
    void unlock(share held) noexcept;
    /// A semaphore's permits that nobody holds.
    [[nodiscard]] unsigned available(std::error_code* failure) const;
    /// Sets the limit of a semaphore for all its users.
    bool resize(unsigned limit, std::error_code* failure);
    /// Turns the calling thread's hold, or `held`, from a writer's into a reader's.
    bool downgrade(std::error_code* failure);
    bool downgrade(const lease& held, std::error_code* failure);
    [[nodiscard]] std::uint64_t token() const;
    [[nodiscard]] std::stop_token lost() const;
    [[nodiscard]] bool valid() const noexcept;
    [[nodiscard]] unsigned count() const noexcept;

    /// All or none, as holds of the calling thread. False if someone else held one of them all the
    /// time, or with an error.
    static bool lock_all(std::span<lock_handle* const> locks, wait_limit wait,
                         const acquire_options& options, std::error_code* failure);
    static void unlock_all(std::span<lock_handle* const> locks) noexcept;

private:
    class all_locks;
    class body;
    void report_not_held() const noexcept;

    std::unique_ptr<body> body_;
};

} // namespace detail
} // namespace holdfast
