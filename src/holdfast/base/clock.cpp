#include "holdfast/base/clock.hpp"

#include <ctime>

namespace holdfast::base {

boot_clock::time_point boot_clock::now() noexcept {
    std::timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return time_point{std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec}};
}

namespace {

class system_time_source final : public time_source {
public:
    [[nodiscard]] instant now() const noexcept override { return boot_clock::now(); }
    [[nodiscard]] std::int64_t wall_us() const noexcept override {
        const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
    }
};

} // namespace

const time_source& system_time() noexcept {
    static const system_time_source source;
    return source;
}

} // namespace holdfast::base
