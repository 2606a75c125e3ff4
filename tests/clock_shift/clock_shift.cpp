// Preloaded into a server, it shifts the wall clock that the server sees by as many microseconds as
// stand, as a 64-bit number, in the file that HOLDFAST_CLOCK_SHIFT names. Other clocks are left
// alone.
// It takes no memory from the heap: allocators ask for the time while they start.

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

constexpr std::int64_t million = 1'000'000;

const std::int64_t* shift = nullptr; ///< in shared memory with whoever sets it

__attribute__((constructor)) void open_shift() {
    const char* const path = std::getenv("HOLDFAST_CLOCK_SHIFT");
    if (path == nullptr) { return; }
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) { std::abort(); }
    void* const memory = ::mmap(nullptr, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) { std::abort(); }
    shift = static_cast<const std::int64_t*>(memory);
}

/// The wall clock in microseconds.
std::int64_t shifted_now() {
    timespec now{};
    ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    const auto offset = shift == nullptr ? 0 : __atomic_load_n(shift, __ATOMIC_RELAXED);
    return now.tv_sec * million + now.tv_nsec / 1000 + offset;
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* out) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
        return static_cast<int>(::syscall(SYS_clock_gettime, clock, out));
    }
    const auto now = shifted_now();
    *out = {now / million, now % million * 1000};
    return 0;
}

__attribute__((visibility("default"))) int gettimeofday(timeval* out, void* /*zone*/) {
    const auto now = shifted_now();
    *out = {now / million, now % million};
    return 0;
}

__attribute__((visibility("default"))) std::time_t time(std::time_t* out) {
    const auto now = static_cast<std::time_t>(shifted_now() / million);
    if (out != nullptr) { *out = now; }
    return now;
}

} // extern "C"
