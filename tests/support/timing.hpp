#pragma once
// Time in tests: polls conditions up to a deadline, and scales tolerances for slow builds.

#include <chrono>
#include <thread>

namespace holdfast::test {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#    define HOLDFAST_TEST_SANITIZED 1
#elif defined(__has_feature)
#    if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#        define HOLDFAST_TEST_SANITIZED 1
#    endif
#endif

#ifdef HOLDFAST_TEST_SANITIZED
inline constexpr int slowness = 4;
#else
inline constexpr int slowness = 1;
#endif

/// Scales a tolerance or a lease for this build.
[[nodiscard]] constexpr milliseconds scaled(milliseconds plain) noexcept {
    return plain * slowness;
}

/// A time-out that only a hang exceeds.
inline constexpr milliseconds long_wait = 15s * slowness;

/// Whether `holds()` becomes true in time.
template <class Condition>
[[nodiscard]] bool eventually(Condition holds, milliseconds within = long_wait) {
    const auto end = std::chrono::steady_clock::now() + within;
    while (!holds()) {
        if (std::chrono::steady_clock::now() >= end) { return false; }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

/// Whether `holds()` is true the whole time.
template <class Condition>
[[nodiscard]] bool throughout(milliseconds span, Condition holds) {
    return !eventually([&] { return !holds(); }, span);
}

/// Measures elapsed time.
class stopwatch {
public:
    [[nodiscard]] milliseconds elapsed() const {
        return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start_);
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The shortest of several measurements: a busy machine makes some too long, never too short.
template <class Measure>
[[nodiscard]] auto quickest_of(int times, Measure measure) {
    auto best = measure();
    while (--times > 0) {
        const auto next = measure();
        if (next < best) { best = next; }
    }
    return best;
}

} // namespace holdfast::test
