#include "holdfast/drive/direct_reader.hpp"

#include <cerrno>
#include <sys/socket.h>

namespace holdfast::drive {

namespace {

/// A non-blocking recv() takes much less than this. If it took longer, another thread ran on this
/// cpu: perhaps the server, which was waiting for the spinning thread.
constexpr std::chrono::microseconds preemption_threshold{5};

direct_reader::result receive(const engine::direct_read& source, int flags) noexcept {
    const auto count = ::recv(source.descriptor, source.buffer.data(), source.buffer.size(), flags);
    return {count, count < 0 ? errno : 0};
}

} // namespace

direct_reader::result direct_reader::read(const engine::direct_read& source,
                                          bool may_spin) noexcept {
    if (may_spin && source.spin > base::duration::zero() && spinner_.should_spin()) {
        if (const auto found = spin(source); found.count >= 0) { return found; }
    }
    return receive(source, 0);
}

direct_reader::result direct_reader::spin(const engine::direct_read& source) noexcept {
    auto before = time_.now();
    const auto until = before + source.spin;
    bool ran_alone = true;
    result out;
    do {
        out = receive(source, MSG_DONTWAIT);
        const auto after = time_.now();
        ran_alone = ran_alone && after - before < preemption_threshold;
        before = after;
    } while (out.count < 0 && out.error == EAGAIN && before < until);
    if (out.count >= 0 && ran_alone) {
        spinner_.on_success();
    } else {
        spinner_.on_failure();
    }
    return out;
}

} // namespace holdfast::drive
