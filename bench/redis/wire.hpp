#pragma once
// A blocking connection of hiredis's, as most programs use it.

#include <hiredis/hiredis.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench::redis {

struct free_reply {
    void operator()(::redisReply* answer) const noexcept { ::freeReplyObject(answer); }
};
using reply = std::unique_ptr<::redisReply, free_reply>;

/// Throws std::runtime_error when the server cannot be reached or answers with an error.
/// Thread safety: none.
class wire {
public:
    explicit wire(std::uint16_t port);

    reply ask(std::span<const std::string_view> words);
    reply ask(std::initializer_list<std::string_view> words) {
        return ask(std::span{words.begin(), words.size()});
    }

    // Pipelining: what is appended goes out when a reply is waited for.
    void append(std::span<const std::string_view> words);
    reply next();

    std::string load(std::string_view script); ///< its SHA
    [[nodiscard]] int descriptor() const noexcept { return context_->fd; }

private:
    struct close {
        void operator()(::redisContext* what) const noexcept { ::redisFree(what); }
    };
    static constexpr std::size_t most_words = 16;
    void point_at(std::span<const std::string_view> words);
    reply checked(void* what) const;

    std::unique_ptr<::redisContext, close> context_;
    std::array<const char*, most_words> texts_{};
    std::array<std::size_t, most_words> sizes_{};
};

} // namespace holdfast::bench::redis
