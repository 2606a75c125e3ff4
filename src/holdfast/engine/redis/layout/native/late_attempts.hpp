#pragma once
// Native requests whose connection broke before they were answered: they may still arrive.

#include <algorithm>
#include <cstdint>
#include <map>

namespace holdfast::engine::redis {

/// Keeps, per owner number, the highest not-after (in the server's time) of such requests. The next
/// request of that owner contains it, and the server then refuses them.
///
/// Thread safety: none.
class late_attempts {
public:
    /// The connection broke. Drops entries whose not-after has certainly passed: `server_now_us` is
    /// an upper bound, which is too high by as long as the server took to say what time it is.
    void add(std::uint64_t number, std::int64_t not_after_us, std::int64_t server_now_us) {
        constexpr std::int64_t longest_reply_us = 60'000'000;
        std::erase_if(not_after_, [&](const auto& entry) {
            return entry.second < server_now_us - longest_reply_us;
        });
        auto& highest = not_after_[number];
        highest = std::max(highest, not_after_us);
    }
    /// 0: none of them can still arrive.
    [[nodiscard]] std::int64_t not_after_of(std::uint64_t number) const {
        if (not_after_.empty()) { return 0; }
        const auto found = not_after_.find(number);
        return found == not_after_.end() ? 0 : found->second;
    }

private:
    std::map<std::uint64_t, std::int64_t> not_after_;
};

} // namespace holdfast::engine::redis
