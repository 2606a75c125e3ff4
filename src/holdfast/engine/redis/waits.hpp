#pragma once
// Who of this client waits for locks whose layout has no queue, and on which channels it listens.

#include "holdfast/base/clock.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// A release is one message, and only one waiter can have the lock: the first of them is told to
/// ask again. If that one has meanwhile gone the next is.
///
/// A channel is listened to for as long as somebody waits, and a moment longer, because where
/// somebody had to wait others will.
///
/// Thread safety: none.
class waits {
public:
    [[nodiscard]] bool empty() const noexcept { return channels_.empty(); }
    [[nodiscard]] bool anybody(std::string_view channel) const;
    [[nodiscard]] bool listening(std::string_view channel) const;

    /// Puts a waiter in line, or keeps it there; how many of ours are before it.
    std::size_t add(const std::string& channel, bool sharded, std::uint64_t number,
                    base::instant now);
    /// It has got it.
    void served(std::string_view channel, std::uint64_t number, base::instant now);
    /// It waits no more; who is to be told in its place.
    [[nodiscard]] std::optional<std::uint64_t> left(std::string_view channel, std::uint64_t number,
                                                    base::instant now);
    /// Who is to be told of a message.
    [[nodiscard]] std::optional<std::uint64_t> first(std::string_view channel, base::instant now);
    [[nodiscard]] std::vector<std::uint64_t> all(std::string_view channel) const;

    void subscribed(std::string_view channel); ///< the command is on its way
    void lost();                               ///< the connection, and all subscriptions with it

    /// When `idle` should be called next.
    [[nodiscard]] base::instant due() const noexcept { return due_; }
    struct channel_name {
        std::string channel{};
        bool sharded = false;
    };
    /// Those that nobody needs any more; they are forgotten by this.
    [[nodiscard]] std::vector<channel_name> idle(base::instant now);

private:
    struct waiter {
        std::uint64_t number = 0;
        base::instant asked{}; ///< for the last time
    };
    struct line {
        bool sharded = false;
        bool listening = false;
        std::vector<waiter> waiters{}; ///< first come, first told
        base::instant idle_since{};
    };

    [[nodiscard]] line* find(std::string_view channel);
    void remove(line& from, std::uint64_t number, base::instant now);

    std::map<std::string, line, std::less<>> channels_;
    base::instant due_ = base::never;
};

} // namespace holdfast::engine::redis
