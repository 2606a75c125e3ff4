#pragma once
// A string under the name itself, whose value is the owner: what most libraries for locks on Redis
// write.

#include "holdfast/base/random.hpp"
#include "holdfast/engine/redis/foreign_layout.hpp"

namespace holdfast::engine::redis {

class plain_layout final : public foreign_layout {
public:
    plain_layout(const place& where, const setting& who);

    [[nodiscard]] capabilities caps(primitive kind, bool fenced) const override;
    [[nodiscard]] std::string channel(std::string_view name) const override;
    [[nodiscard]] base::duration look_in(std::int64_t pttl, std::size_t ahead) override;
    void release(std::string& out, const ticket& who) override;
    void withdraw(std::string& out, const ticket& who) override { release(out, who); }
    bool take(std::string& out, const ticket& who, base::milliseconds lease) override;

private:
    [[nodiscard]] std::string token_key(std::string_view name) const override;

    base::jitter chance_;
};

} // namespace holdfast::engine::redis
