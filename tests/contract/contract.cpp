#include "contract/contract.hpp"

#include <thread>

namespace holdfast::test {

engine::capabilities contract::can(primitive kind) const { return seam_client{url()}.caps(kind); }

const client& contract::looker() const {
    if (!looker_) { looker_.emplace(url()); }
    return *looker_;
}

lock_info contract::look(std::string_view name) const {
    return admin{looker()}.inspect(name).value_or(lock_info{});
}

bool contract::will_wait(std::string_view name, std::size_t count) const {
    if (can().sees_waiters) {
        return eventually([&] { return waiters_of(name) == count; });
    }
    std::this_thread::sleep_for(scaled(100ms));
    return true;
}

bool contract::will_be_clear(std::string_view name, milliseconds within) const {
    return eventually(
        [&] {
            const auto seen = look(name);
            return seen.holders.empty() && seen.waiters.empty();
        },
        within);
}

bool contract::is_free(const std::string& name) const {
    return mutex{looker(), name}.try_acquire().has_value();
}

} // namespace holdfast::test
