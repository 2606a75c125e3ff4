#pragma once
// What `holdfast run` holds while its command runs: one name, or several at once.

#include <holdfast/lease.hpp>
#include <holdfast/lease_set.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace holdfast::cli {

/// The lease of one name, or the set of several, with the members that both have.
class held_lock {
public:
    explicit held_lock(lease held) : held_{std::move(held)} {}
    explicit held_lock(lease_set held) : held_{std::move(held)} {}

    [[nodiscard]] bool valid() const noexcept;
    [[nodiscard]] std::chrono::milliseconds remaining() const noexcept;
    [[nodiscard]] std::stop_token lost() const;
    [[nodiscard]] std::optional<loss> why_lost() const noexcept;
    void extend(std::chrono::milliseconds duration, std::error_code& failure);

    /// A line for each name, in the order of the names. No tokens: the layout has none.
    [[nodiscard]] std::string names() const;
    [[nodiscard]] std::string tokens() const;
    [[nodiscard]] std::string owners() const;
    /// The tokens as the log has them, with commas between them.
    [[nodiscard]] std::string log_tokens() const;

    /// Releases it and waits for the answer. Prints a failure. Whether it was held until now.
    bool release(const std::vector<std::string>& names);

    /// Of a lock with one name, as that of an election.
    [[nodiscard]] const lease& single() const { return std::get<lease>(held_); }

private:
    std::variant<lease, lease_set> held_;
};

} // namespace holdfast::cli
