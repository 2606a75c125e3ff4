#include "holdfast/api/single_holds.hpp"

#include "holdfast/api/failure.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::api {

single_holds::~single_holds() {
    for (const auto& each : entries_) {
        if (each.hold->inherited() || each.hold->why_lost()) { continue; }
        lock_.core->release_in_background(*each.hold, false);
    }
}

thread_holds::relock_result single_holds::lock_again(const core::request& request,
                                                     std::error_code* failure) {
    auto& core = *lock_.core;
    const auto held = core::held_by_this_thread(core, lock_.id);
    if (!held) { return relock_result::not_held; }
    const bool refreshes =
        core.caps(request.kind, core::lock_format_of(request.options)).refreshes && held == find();
    if (!refreshes) {
        // A try fails, too: std::lock would retry forever.
        fail(failure, errc::would_deadlock, lock_.text());
        return relock_result::refused;
    }
    const auto extended = core.extend(*held, core::terms_of(request.options).lease);
    if (!extended) { return relock_result::done; }
    if (extended == errc::lost) { return relock_result::not_held; }
    fail(failure, extended, lock_.text());
    return relock_result::refused;
}

void single_holds::add(const std::shared_ptr<core::hold>& hold) {
    give_to_this_thread(lock_, hold, [&] {
        const std::lock_guard guard{mutex_};
        entries_.push_back({core::this_thread(), hold});
    });
}

thread_holds::removed single_holds::remove(mode mode) {
    const std::lock_guard guard{mutex_};
    const auto me = core::this_thread();
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const entry& each) {
        return each.thread == me && each.hold->mode() == mode;
    });
    if (found == entries_.rend()) { return {}; }
    auto hold = std::move(found->hold);
    entries_.erase(std::next(found).base());
    core::forget_hold(hold.get());
    return {true, std::move(hold)};
}

std::shared_ptr<core::hold> single_holds::find() const {
    if (lock_.core->inherited()) { return nullptr; } // the mutex may have been held at the fork()
    const std::lock_guard guard{mutex_};
    const auto me = core::this_thread();
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                    [me](const entry& each) { return each.thread == me; });
    return found == entries_.rend() ? nullptr : found->hold;
}

} // namespace holdfast::api
