#include "lock_requests.hpp"

namespace holdfast::interop {

namespace {

std::string with(const std::string& request, const std::string& options) {
    return options.empty() ? request : request + " " + options;
}

} // namespace

lock_requests::lock_requests() {
    static int made = 0;
    name_ = "lock:" + std::to_string(++made);
}

std::string lock_requests::try_by(const std::string& hold, milliseconds lease,
                                  const std::string& options) const {
    return with("try " + hold + " " + name_ + " " + std::to_string(lease.count()), options);
}

std::string lock_requests::wait_by(const std::string& hold, milliseconds lease, milliseconds wait,
                                   const std::string& options) const {
    return with("acquire " + hold + " " + name_ + " " + std::to_string(lease.count()) + " " +
                    std::to_string(wait.count()),
                options);
}

} // namespace holdfast::interop
