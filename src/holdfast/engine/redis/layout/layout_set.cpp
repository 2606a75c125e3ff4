#include "holdfast/engine/redis/layout/layout_set.hpp"

#include "holdfast/engine/redis/layout/native/native_layout.hpp"
#include "holdfast/engine/redis/layout/plain/plain_commands.hpp"
#include "holdfast/engine/redis/layout/polling/polling_layout.hpp"
#include "holdfast/engine/redis/layout/redisson/redisson_commands.hpp"
#include "holdfast/engine/redis/layout/redisson/redisson_fair_commands.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

layout_set::layout_set(const options& options, const client_identity& identity,
                       operations& operations)
    : usual_{options.layout} {
    const auto at = [this](holdfast::layout layout) -> std::unique_ptr<lock_layout>& {
        return all_.at(static_cast<std::size_t>(layout));
    };
    at(holdfast::layout::native) = std::make_unique<native_layout>(options, identity);
    at(holdfast::layout::plain) = std::make_unique<polling_layout>(
        options, identity, operations, std::make_unique<plain_commands>(options, identity));
    at(holdfast::layout::redisson) = std::make_unique<polling_layout>(
        options, identity, operations, std::make_unique<redisson_commands>(options, identity));
    at(holdfast::layout::redisson_fair) = std::make_unique<polling_layout>(
        options, identity, operations, std::make_unique<redisson_fair_commands>(options, identity));
}

void layout_set::attach(sink& sink) noexcept {
    for (const auto& each : all_) { each->attach(sink); }
}

lock_layout& layout_set::use(const lock_format& format) {
    const auto index = index_of(format);
    lock_layout& layout = *all_[index];
    if (!used_[index]) {
        if (layout.has_timers()) { timed_.push_back(&layout); }
        used_[index] = true;
    }
    return layout;
}

void layout_set::on_ready(base::instant now) {
    for (const auto& each : all_) { each->on_ready(now); }
}

base::instant layout_set::first_due() const noexcept {
    auto earliest = base::never;
    for (const auto* const each : timed_) { earliest = std::min(earliest, each->due()); }
    return earliest;
}

void layout_set::on_timer(const channel_finder& find, base::instant now) {
    for (auto* const each : timed_) {
        if (now >= each->due()) { each->on_timer(find, now); }
    }
}

} // namespace holdfast::engine::redis
