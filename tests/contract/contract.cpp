#include "contract/contract.hpp"

namespace holdfast::test {

engine::capabilities contract::can(primitive kind) const { return seam_client{url()}.can(kind); }

const client& contract::looker() const {
    if (!looker_) { looker_.emplace(url()); }
    return *looker_;
}

lock_info contract::look(std::string_view name) const {
    return admin{looker()}.inspect(name).value_or(lock_info{});
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
