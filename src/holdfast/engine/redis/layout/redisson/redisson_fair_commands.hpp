#pragma once
// The redisson_fair layout: locks as Redisson's getFairLock() writes them. They are those of its
// usual lock, with a queue: a list of owners, and a channel for each of them.

#include "holdfast/engine/redis/layout/redisson/redisson_commands.hpp"

namespace holdfast::engine::redis {

/// Thread safety: none.
class redisson_fair_commands final : public redisson_commands {
public:
    redisson_fair_commands(const options& options, const client_identity& identity);

    [[nodiscard]] const char* reject_latch(std::string_view /*name*/) const override {
        return why_no_cells; // as in layout redisson: one is enough
    }
    [[nodiscard]] capabilities caps(primitive kind, bool fenced) const override;
    [[nodiscard]] const lock_format& format() const noexcept override;
    /// That of the waiter, to which the holder before it publishes.
    [[nodiscard]] std::string channel(const ticket& ticket, primitive kind) const override;
    [[nodiscard]] bool keeps_places() const override { return true; }
    void acquire(std::string& out, const ticket& ticket, const acquire_terms& terms,
                 std::int64_t not_after_us) override;
};

} // namespace holdfast::engine::redis
