#pragma once
// A plain connection to a Redis server, for tests that bypass the library.

#include "holdfast/base/fd.hpp"
#include "support/redis_reply.hpp"
#include "support/timing.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// Blocks, but never longer than `within`. Thread safety: none.
class redis_raw {
public:
    /// Connects; throws std::system_error if it cannot.
    explicit redis_raw(std::uint16_t port); ///< of 127.0.0.1
    explicit redis_raw(const std::filesystem::path& unix_path);

    /// Sends one command and reads one reply, which may be an error. Throws if none comes.
    redis_reply ask(const std::vector<std::string>& command_words, milliseconds within = long_wait);

    void send(const std::vector<std::string>& command_words);
    void send_bytes(std::string_view bytes);

    /// The next reply; empty after a time-out or if the server has closed. Throws
    /// std::runtime_error if the bytes are no reply.
    [[nodiscard]] std::optional<redis_reply> read(milliseconds within = long_wait);

    /// Waits until the server closes or resets; replies until then can still be read.
    [[nodiscard]] bool closes(milliseconds within = long_wait);
    [[nodiscard]] bool was_reset() const { return reset_; }

    void close() { socket_.reset(); }

private:
    bool read_more(milliseconds within); ///< false after a time-out or at the end

    base::fd socket_;
    std::string unread_;
    bool ended_ = false;
    bool reset_ = false;
};

} // namespace holdfast::test
