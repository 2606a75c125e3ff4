#pragma once
// The plain layout: a string key of the lock's name with the owner as value, as most Redis lock
// libraries write it.

#include "holdfast/base/random.hpp"
#include "holdfast/engine/redis/layout/polling/polling_commands.hpp"

namespace holdfast::engine::redis {

/// Thread safety: none.
class plain_commands final : public polling_commands {
public:
    plain_commands(const options& options, const client_identity& identity);

    [[nodiscard]] capabilities caps(primitive kind, bool fenced) const override;
    [[nodiscard]] const lock_format& format() const noexcept override;
    [[nodiscard]] base::duration poll_in(std::int64_t pttl, std::size_t ahead) override;
    /// Only with tokens every acquire is a script, and its user certainly may access Holdfast's own
    /// keys.
    [[nodiscard]] bool honours_memory(bool fenced) const override { return fenced; }
    void release(std::string& out, const ticket& ticket, release_memory memory) override;
    void withdraw(std::string& out, const ticket& ticket, release_memory memory) override {
        release(out, ticket, memory);
    }
    [[nodiscard]] bool takes_without_script() const override { return true; }
    void take(std::string& out, const ticket& ticket, base::milliseconds lease) override;

private:
    [[nodiscard]] std::string name_channel(std::string_view name, primitive kind) const override;
    [[nodiscard]] std::string token_key(std::string_view name) const override;
    [[nodiscard]] std::string memory_key(const ticket& ticket) const override;
    [[nodiscard]] std::string own_key(std::string_view kind, std::string_view name) const;

    base::jitter jitter_;
};

} // namespace holdfast::engine::redis
