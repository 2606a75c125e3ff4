#pragma once
// One name on one client as one primitive: what mutex, shared_mutex and semaphore are made of.

#include <holdfast/detail/patience.hpp>
#include <holdfast/export.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/lock_info.hpp>
#include <holdfast/options.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>

namespace holdfast {

class client;

namespace detail {

/// What is wanted of a gate, apart from how long to wait for it.
struct want {
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
};

/// Not for direct use. A null `failure` means: throw.
class HOLDFAST_API gate {
public:
    gate(const client& client, std::string name, primitive kind, unsigned limit,
         hold_options defaults);
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;
    ~gate();

    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] const hold_options& defaults() const noexcept;

    /// A lease, or empty if somebody else had it for the whole of `wait`.
    [[nodiscard]] std::optional<lease> acquire(want want, patience wait,
                                               const hold_options& options, std::stop_token stop,
                                               std::error_code* failure);
    /// As above with for-ever patience: an empty answer is impossible, a stop is errc::cancelled.
    [[nodiscard]] lease acquire(want want, const hold_options& options, std::stop_token stop,
                                std::error_code* failure);

    /// Holds that belong to the calling thread.
    bool lock(want want, patience wait, std::error_code* failure);
    void unlock(want want) noexcept;
    [[nodiscard]] std::uint64_t token() const;
    [[nodiscard]] std::stop_token lost() const;
    [[nodiscard]] bool valid() const noexcept;

private:
    class body;
    std::unique_ptr<body> body_;
};

} // namespace detail
} // namespace holdfast
