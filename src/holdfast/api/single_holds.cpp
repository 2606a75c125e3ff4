#include "holdfast/api/single_holds.hpp"

#include "holdfast/api/failure.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::api {

single_holds::~single_holds() {
    std::erase_if(entries_, [](const entry& each) {
        return each.hold->inherited() || each.hold->why_lost().has_value();
    });
    lock_.core->release_all_in_background(
        entries_.size(), [this](std::size_t at) -> core::hold& { return *entries_[at].hold; });
}

thread_holds::relock_result single_holds::lock_again(const acquire_call& call) {
    auto& core = *lock_.core;
    const auto& request = call.request();
    const auto held = core::held_by_this_thread(core, lock_.id);
    if (!held) { return relock_result::not_held; }
    const bool refreshes =
        core.caps(request.kind, core::lock_format_of(request.options)).refreshes && held == find();
    if (!refreshes) { return refuse(call, *held); }
    switch (call.renew(*held)) {
    case acquire_call::renewal::done: return relock_result::done;
    case acquire_call::renewal::lost: return relock_result::not_held;
    case acquire_call::renewal::failed: break;
    }
    return relock_result::refused;
}

thread_holds::relock_result single_holds::count_again(const acquire_call& call) {
    const auto held = core::held_by_this_thread(*lock_.core, lock_.id);
    return held ? refuse(call, *held) : relock_result::not_held;
}

/// A try fails, too: std::lock would retry forever.
thread_holds::relock_result single_holds::refuse(const acquire_call& call,
                                                 const core::hold& held) const {
    const auto& request = call.request();
    const char* why = ""; // of a mutex: the error's own sentence
    if (request.kind == primitive::shared_mutex) {
        const bool reads = held.mode() == mode::shared;
        why = reads ? "this thread holds it as a reader already; use that hold, or unlock_shared() "
                      "it first"
                    : "this thread holds it as a writer already; use that hold, or unlock() it "
                      "first";
        if (reads && request.mode == mode::exclusive) {
            why = "this thread holds it as a reader, and a reader cannot become a writer; "
                  "unlock_shared() it first";
        } else if (!reads && request.mode == mode::shared) {
            why = "this thread holds it as a writer; downgrade() that hold, or unlock() it first";
        }
    }
    fail(call.failure(), errc::would_deadlock, lock_.text(), why);
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
