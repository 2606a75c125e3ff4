#pragma once
// The redisson layout: locks as Redisson writes them. RLock, RFencedLock and RReadWriteLock are
// hashes of owner and count, RSemaphore, RPermitExpirableSemaphore and RCountDownLatch are numbers;
// each has a channel on which a release is published.

#include "holdfast/base/random.hpp"
#include "holdfast/engine/redis/layout/polling/polling_commands.hpp"

namespace holdfast::engine::redis {

/// Thread safety: none.
class redisson_commands : public polling_commands {
public:
    redisson_commands(const options& options, const client_identity& identity);

    [[nodiscard]] capabilities caps(primitive kind, bool fenced) const override;
    [[nodiscard]] const lock_format& format() const noexcept override;
    [[nodiscard]] bool wakes_all(std::string_view channel, std::string_view payload) const override;
    [[nodiscard]] bool sharded() const override { return sharded_; }
    [[nodiscard]] const char* reject_name(std::string_view name) const override;
    [[nodiscard]] const char* reject_latch(std::string_view name) const override;
    [[nodiscard]] std::string latch_channel(std::string_view name) const override;
    void latch(std::string& out, const cell_op& op, std::int64_t not_after_us) override;
    [[nodiscard]] base::duration poll_in(std::int64_t pttl, std::size_t ahead) override;
    [[nodiscard]] bool honours_memory(bool /*fenced*/) const override { return true; }
    void acquire(std::string& out, const ticket& ticket, const acquire_terms& terms,
                 std::int64_t not_after_us) override;
    void release(std::string& out, const ticket& ticket, release_memory memory) override;
    void withdraw(std::string& out, const ticket& ticket, release_memory memory) override;
    [[nodiscard]] bool clears_memory() const override { return true; }
    void clear_memory(std::string& out, const ticket& ticket) override;

protected:
    redisson_commands(const polling_scripts& scripts, const options& options,
                      const client_identity& identity, std::span<const script* const> more);

    [[nodiscard]] static const script* beat_script(const options& options);

private:
    [[nodiscard]] std::string name_channel(std::string_view name, primitive kind) const override;
    [[nodiscard]] std::string token_key(std::string_view name) const override;
    /// Ours, beside a latch: see redisson_latch.lua.
    [[nodiscard]] std::string arrivals_key(std::string_view name) const;
    /// Redisson's unlock latch.
    [[nodiscard]] std::string memory_key(const ticket& ticket) const override;
    void append_release(std::string& out, const ticket& ticket, release_memory memory);

    const bool sharded_;
    base::jitter jitter_;
};

} // namespace holdfast::engine::redis
