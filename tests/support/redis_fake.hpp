#pragma once
// A server that says to each request what a test wants it to say, e.g. what no real Redis would.

#include "support/net_listener.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::test {

/// Serves one connection after the other on a thread of its own, on a free port of 127.0.0.1.
///
/// Thread safety: none; what it says is called on its thread.
class redis_fake {
public:
    using words = std::vector<std::string>;
    using speech = std::function<std::string(const words&)>;

    /// Says `what(request)`, as bytes: no reply, one, or more.
    explicit redis_fake(speech words);
    redis_fake(const redis_fake&) = delete;
    redis_fake& operator=(const redis_fake&) = delete;
    ~redis_fake() = default;

    [[nodiscard]] std::uint16_t port() const { return door_.port(); }
    [[nodiscard]] std::string url() const;

    /// What a Redis 7 says to a client of ours, as far as it goes: locks are free, and can be
    /// released.
    [[nodiscard]] static std::string usual(const words& request);
    [[nodiscard]] static std::string bulk(const std::string& text);
    [[nodiscard]] static std::string push(const std::string& channel, const std::string& text);

private:
    void serve(const base::fd& client, const std::stop_token& stop) const;

    listener door_;
    speech words_;
    std::jthread thread_; ///< last, so that it ends first
};

} // namespace holdfast::test
