#include "holdfast/core/recursion.hpp"

#include "holdfast/core/hold.hpp"

namespace holdfast::core {

recursion::entry recursion::find(std::uint64_t thread, std::string_view name) const {
    const std::lock_guard lock{mutex_};
    const auto names = threads_.find(thread);
    if (names == threads_.end()) { return {}; }
    const auto found = names->second.find(name);
    return found == names->second.end() ? entry{} : found->second;
}

void recursion::begin(std::uint64_t thread, const std::string& name, std::shared_ptr<hold> held) {
    const std::lock_guard lock{mutex_};
    threads_[thread].insert_or_assign(name, entry{std::move(held), 1});
}

void recursion::increment(std::uint64_t thread, std::string_view name) {
    const std::lock_guard lock{mutex_};
    auto& names = threads_[thread];
    if (const auto found = names.find(name); found != names.end()) { ++found->second.count; }
}

std::shared_ptr<hold> recursion::decrement(std::uint64_t thread, std::string_view name) {
    const std::lock_guard lock{mutex_};
    const auto names = threads_.find(thread);
    if (names == threads_.end()) { return nullptr; }
    const auto found = names->second.find(name);
    if (found == names->second.end() || --found->second.count > 0) { return nullptr; }
    auto held = std::move(found->second.held);
    names->second.erase(found);
    if (names->second.empty()) { threads_.erase(names); }
    return held;
}

void recursion::forget_thread(std::uint64_t thread) {
    const std::lock_guard lock{mutex_};
    threads_.erase(thread);
}

} // namespace holdfast::core
