#pragma once
// One direction of a connection through the proxy: bytes that have come and have yet to go.

#include <chrono>
#include <deque>
#include <string>

namespace holdfast::test {

class lane {
public:
    using clock = std::chrono::steady_clock;

    /// What is added leaves in this order: nothing overtakes what is held or not yet due.
    void add(std::string bytes, clock::time_point due, bool held = false);

    /// Sends what may go, or only a byte of it; how many bytes went. Empties itself if nobody takes
    /// them any more.
    std::size_t send_to(int socket, clock::time_point now, bool one_byte = false);

    void release();
    void clear() { parcels_.clear(); }
    [[nodiscard]] bool empty() const { return parcels_.empty(); }
    [[nodiscard]] std::size_t held() const;
    [[nodiscard]] bool ready(clock::time_point now) const;
    /// When the next bytes may go; max(): nothing waits for time to pass.
    [[nodiscard]] clock::time_point due() const;

private:
    struct parcel {
        std::string bytes;
        clock::time_point due;
        bool held;
    };
    std::deque<parcel> parcels_;
};

} // namespace holdfast::test
