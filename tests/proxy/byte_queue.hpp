#pragma once
// One direction of a connection through the proxy: received bytes that are still to be sent.

#include <chrono>
#include <deque>
#include <string>

namespace holdfast::test {

class byte_queue {
public:
    using clock = std::chrono::steady_clock;

    /// Bytes are sent in this order: nothing overtakes bytes that are held or not due yet.
    void add(std::string bytes, clock::time_point due, bool held = false);

    /// Sends the bytes that are due, or only one of them; returns how many. Clears the queue if the
    /// other side has closed.
    std::size_t send_to(int socket, clock::time_point now, bool one_byte = false);

    void release();
    void clear() { chunks_.clear(); }
    [[nodiscard]] bool empty() const { return chunks_.empty(); }
    [[nodiscard]] std::size_t held() const;
    [[nodiscard]] bool ready(clock::time_point now) const;
    /// When the next bytes are due; max(): no byte waits for a time.
    [[nodiscard]] clock::time_point due() const;

private:
    struct chunk {
        std::string bytes;
        clock::time_point due;
        bool held;
    };
    std::deque<chunk> chunks_;
};

} // namespace holdfast::test
