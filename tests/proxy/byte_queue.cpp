#include "proxy/byte_queue.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>

namespace holdfast::test {

void byte_queue::add(std::string bytes, clock::time_point due, bool held) {
    if (!bytes.empty()) { chunks_.push_back({std::move(bytes), due, held}); }
}

std::size_t byte_queue::send_to(int socket, clock::time_point now, bool one_byte) {
    std::size_t total = 0;
    while (ready(now)) {
        auto& bytes = chunks_.front().bytes;
        const auto sent =
            ::send(socket, bytes.data(), one_byte ? 1 : bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) { continue; }
            if (errno != EAGAIN && errno != EWOULDBLOCK) { clear(); }
            break;
        }
        total += static_cast<std::size_t>(sent);
        bytes.erase(0, static_cast<std::size_t>(sent));
        if (bytes.empty()) { chunks_.pop_front(); }
        if (one_byte) { break; }
    }
    return total;
}

void byte_queue::release() {
    for (auto& queued : chunks_) { queued.held = false; }
}

std::size_t byte_queue::held() const {
    return static_cast<std::size_t>(std::count_if(chunks_.begin(), chunks_.end(),
                                                  [](const chunk& queued) { return queued.held; }));
}

bool byte_queue::ready(clock::time_point now) const {
    return !empty() && !chunks_.front().held && chunks_.front().due <= now;
}

byte_queue::clock::time_point byte_queue::due() const {
    return empty() || chunks_.front().held ? clock::time_point::max() : chunks_.front().due;
}

} // namespace holdfast::test
