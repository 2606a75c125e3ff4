#pragma once
// A lock as Redisson's RLock and RFencedLock keep it: a hash of owner and count, a channel on which
// a release is told.

#include "holdfast/base/random.hpp"
#include "holdfast/engine/redis/foreign_layout.hpp"

namespace holdfast::engine::redis {

class redisson_layout final : public foreign_layout {
public:
    redisson_layout(const place& where, const client_identity& identity);

    [[nodiscard]] capabilities caps(primitive kind, bool fenced) const override;
    [[nodiscard]] std::string channel(std::string_view name) const override;
    [[nodiscard]] bool sharded() const override { return sharded_; }
    [[nodiscard]] base::duration look_in(std::int64_t pttl, std::size_t ahead) override;
    [[nodiscard]] bool minds_releases(bool /*fenced*/) const override { return true; }
    void release(std::string& out, const ticket& ticket, release_memory memory) override;
    void withdraw(std::string& out, const ticket& ticket, release_memory memory) override;
    bool tidy(std::string& out, const ticket& ticket) override;

private:
    [[nodiscard]] std::string token_key(std::string_view name) const override;
    /// Redisson's unlock latch.
    [[nodiscard]] std::string memory_key(const ticket& ticket) const override;
    void append_release(std::string& out, const ticket& ticket, release_memory memory);

    const bool sharded_;
    base::jitter chance_;
};

} // namespace holdfast::engine::redis
