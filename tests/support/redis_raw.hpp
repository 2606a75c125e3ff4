#pragma once
// A plain connection to a Redis server, for tests that look at it behind the library's back.

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

/// Blocks, but never for longer than it is told. Thread safety: none.
class redis_raw {
public:
    /// Connects; throws std::system_error if it cannot.
    explicit redis_raw(std::uint16_t port); ///< of 127.0.0.1
    explicit redis_raw(const std::filesystem::path& unix_path);

    /// Sends one command and reads one reply, which may be an error. Throws if none comes.
    redis_reply ask(const std::vector<std::string>& what, milliseconds within = long_wait);

    void send(const std::vector<std::string>& what);
    void send_bytes(std::string_view bytes);

    /// The next reply; none: the time is up, or the server has closed. Throws std::runtime_error
    /// if what comes is no reply.
    [[nodiscard]] std::optional<redis_reply> read(milliseconds within = long_wait);

    /// Waits for the other side to close or reset; what it sends until then is not lost.
    [[nodiscard]] bool closes(milliseconds within = long_wait);
    [[nodiscard]] bool was_reset() const { return reset_; }

    void close() { socket_.reset(); }

private:
    bool read_more(milliseconds within); ///< false: nothing came, or the end

    base::fd socket_;
    std::string unread_;
    bool ended_ = false;
    bool reset_ = false;
};

} // namespace holdfast::test
