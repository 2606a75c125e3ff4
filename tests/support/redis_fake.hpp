#pragma once
// A Redis server that replies as the test wants, e.g. as no real Redis would.

#include "support/net_listener.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::test {

/// Serves one connection after the other on a thread of its own, on a free port of 127.0.0.1.
///
/// Thread safety: none; it calls the reply_function on its own thread.
class redis_fake {
public:
    using words = std::vector<std::string>;
    using reply_function = std::function<std::string(const words&)>;

    /// Sends the bytes that `reply_to` returns for a request: no reply, one, or several.
    explicit redis_fake(reply_function reply_to);
    redis_fake(const redis_fake&) = delete;
    redis_fake& operator=(const redis_fake&) = delete;
    ~redis_fake() = default;

    [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
    [[nodiscard]] std::string url() const;

    /// The replies of a Redis 7 to our client: every lock is free and can be released.
    [[nodiscard]] static std::string usual(const words& request);
    [[nodiscard]] static std::string bulk(const std::string& text);
    [[nodiscard]] static std::string push(const std::string& channel, const std::string& text);

private:
    void serve(const base::fd& client, const std::stop_token& stop) const;

    listener listener_;
    reply_function reply_to_;
    std::jthread thread_; ///< last: it uses the others
};

} // namespace holdfast::test
