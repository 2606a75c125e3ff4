#include "proxy/lane.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>

namespace holdfast::test {

void lane::add(std::string bytes, clock::time_point due, bool held) {
    if (!bytes.empty()) { parcels_.push_back({std::move(bytes), due, held}); }
}

std::size_t lane::send_to(int socket, clock::time_point now, bool one_byte) {
    std::size_t all = 0;
    while (ready(now)) {
        auto& bytes = parcels_.front().bytes;
        const auto sent =
            ::send(socket, bytes.data(), one_byte ? 1 : bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) { continue; }
            if (errno != EAGAIN && errno != EWOULDBLOCK) { clear(); }
            break;
        }
        all += static_cast<std::size_t>(sent);
        bytes.erase(0, static_cast<std::size_t>(sent));
        if (bytes.empty()) { parcels_.pop_front(); }
        if (one_byte) { break; }
    }
    return all;
}

void lane::release() {
    for (auto& one : parcels_) { one.held = false; }
}

std::size_t lane::held() const {
    return static_cast<std::size_t>(std::count_if(parcels_.begin(), parcels_.end(),
                                                  [](const parcel& one) { return one.held; }));
}

bool lane::ready(clock::time_point now) const {
    return !empty() && !parcels_.front().held && parcels_.front().due <= now;
}

lane::clock::time_point lane::due() const {
    return empty() || parcels_.front().held ? clock::time_point::max() : parcels_.front().due;
}

} // namespace holdfast::test
