#include "cli/shared_deadline.hpp"

#include "cli/errno_error.hpp"

#include <cerrno>
#include <new>
#include <sys/mman.h>

namespace holdfast::cli {

shared_deadline::shared_deadline() {
    void* const memory =
        ::mmap(nullptr, sizeof(value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw errno_error("cannot map shared memory", errno, "free memory and try again");
    }
    value_ = new (memory) value{base::never.time_since_epoch().count()};
}

shared_deadline::~shared_deadline() { ::munmap(value_, sizeof(value)); }

} // namespace holdfast::cli
