#include "holdfast/drive/direct_reader.hpp"

#include <cerrno>
#include <sys/socket.h>

namespace holdfast::drive {

namespace {

/// One non-blocking recv() takes much less than this. If it took longer, another thread ran on this
/// cpu: perhaps the server, which spinning only kept from answering.
constexpr std::chrono::microseconds preempted{5};

direct_reader::result receive(const engine::direct_read& source, int flags) noexcept {
    const auto count = ::recv(source.descriptor, source.buffer.data(), source.buffer.size(), flags);
    return {count, count < 0 ? errno : 0};
}

} // namespace

direct_reader::result direct_reader::read(const engine::direct_read& source,
                                          bool may_spin) noexcept {
    if (may_spin && source.spin > base::duration::zero() && spinner_.worth_it()) {
        if (const auto found = spin(source); found.count >= 0) { return found; }
    }
    return receive(source, 0);
}

direct_reader::result direct_reader::spin(const engine::direct_read& source) noexcept {
    auto before = time_.now();
    const auto until = before + source.spin;
    bool alone = true;
    result out;
    do {
        out = receive(source, MSG_DONTWAIT);
        const auto after = time_.now();
        alone = alone && after - before < preempted;
        before = after;
    } while (out.count < 0 && out.error == EAGAIN && before < until);
    if (out.count >= 0 && alone) {
        spinner_.found();
    } else {
        spinner_.in_vain();
    }
    return out;
}

} // namespace holdfast::drive
