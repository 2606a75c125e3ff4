#pragma once
// A blocking hiredis connection, as most programs use it.

#include <hiredis/hiredis.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench::redis {

struct reply_deleter {
    void operator()(::redisReply* answer) const noexcept { ::freeReplyObject(answer); }
};
using reply = std::unique_ptr<::redisReply, reply_deleter>;

/// Throws std::runtime_error when the server cannot be reached or answers with an error.
/// Thread safety: none.
class hiredis_connection {
public:
    explicit hiredis_connection(std::uint16_t port);

    reply ask(std::span<const std::string_view> words);
    reply ask(std::initializer_list<std::string_view> words) {
        return ask(std::span{words.begin(), words.size()});
    }

    // Pipelining: next() sends what was appended and waits for a reply.
    void append(std::span<const std::string_view> words);
    void flush(); ///< sends it now
    reply next();

    std::string load(std::string_view script); ///< returns its SHA
    [[nodiscard]] int descriptor() const noexcept { return context_->fd; }

private:
    struct close {
        void operator()(::redisContext* context) const noexcept { ::redisFree(context); }
    };
    static constexpr std::size_t max_words = 16;
    void point_at(std::span<const std::string_view> words);
    reply checked(void* reply_pointer) const;

    std::unique_ptr<::redisContext, close> context_;
    std::array<const char*, max_words> texts_{};
    std::array<std::size_t, max_words> sizes_{};
};

} // namespace holdfast::bench::redis
