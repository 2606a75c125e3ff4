#include "support/net_driver.hpp"

#include <limits>
#include <poll.h>
#include <span>

namespace holdfast::test {

namespace {

using std::chrono::steady_clock;
using state = net::stream_state;

bool ready_before(const net::stream& stream, steady_clock::time_point end) {
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now());
    return left.count() > 0 && is_ready(stream, left);
}

std::string read_until(net::stream& stream, std::size_t count, milliseconds within) {
    const auto end = steady_clock::now() + within;
    std::string received;
    std::string buffer(4096, '\0');
    do {
        stream.progress();
        for (;;) {
            const auto size = stream.read(buffer);
            received.append(buffer, 0, size);
            if (size == 0) { break; }
        }
    } while (received.size() < count && stream.state() == state::open && ready_before(stream, end));
    return received;
}

} // namespace

void open(net::stream& stream, milliseconds within) {
    const auto end = steady_clock::now() + within;
    while (stream.state() == state::opening && ready_before(stream, end)) { stream.progress(); }
}

std::size_t write_all(net::stream& stream, std::string_view bytes, milliseconds within) {
    const auto end = steady_clock::now() + within;
    std::size_t taken = 0;
    do {
        stream.progress();
        taken += stream.write(std::span{bytes.substr(taken)});
        // After a send error the stream only reads.
        if ((stream.pollable().events & POLLOUT) == 0) { break; }
    } while (taken < bytes.size() && stream.state() == state::open && ready_before(stream, end));
    return taken;
}

std::size_t fill(net::stream& stream, std::string_view bytes) {
    std::size_t taken = 0;
    do {
        taken += stream.write(std::span{bytes.substr(taken)});
    } while (taken < bytes.size() && is_ready(stream, 20ms));
    return taken;
}

std::string read_some(net::stream& stream, std::size_t count, milliseconds within) {
    return read_until(stream, count, within);
}

std::string read_to_end(net::stream& stream, milliseconds within) {
    return read_until(stream, std::numeric_limits<std::size_t>::max(), within);
}

bool is_ready(const net::stream& stream, milliseconds within) {
    pollfd entry = stream.pollable();
    return ::poll(&entry, 1, static_cast<int>(within.count())) > 0;
}

std::string many_bytes(std::size_t count) {
    std::string out(count, '\0');
    for (std::size_t i = 0; i < count; ++i) { out[i] = static_cast<char>(i * 31 + i / 251); }
    return out;
}

std::string describe(const net::stream& stream) {
    switch (stream.state()) {
    case state::opening: return "opening: " + std::string{stream.step()};
    case state::open: return "open";
    case state::failed: break;
    }
    return (stream.failure_is_permanent() ? "failed for good: " : "failed: ") + stream.failure();
}

} // namespace holdfast::test
