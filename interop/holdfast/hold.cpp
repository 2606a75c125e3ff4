#include "hold.hpp"

#include <system_error>
#include <utility>

namespace holdfast::interop {

namespace {

std::string with_token(bool fenced, std::uint64_t token) {
    return fenced ? "held " + std::to_string(token) : "held";
}

} // namespace

lock_options hold::options(const terms& wanted) const {
    lock_options options;
    options.lease = wanted.watchdog ? watchdog_ : wanted.lease;
    options.renew = wanted.watchdog;
    options.layout = wanted.kind == "fair" ? layout::redisson_fair : layout_;
    if (wanted.fenced) { options.fencing = true; }
    return options;
}

std::string hold::acquire(const terms& wanted) {
    if (wanted.lease == milliseconds{0}) { return "unsupported"; } // all of ours end some day
    length_ = wanted.lease;
    lease_.reset();
    counted_.reset();
    mutex_.reset();
    set_.reset();
    if (wanted.kind == "multi") {
        set_ = try_acquire_all_for(fleet_, {wanted.name, wanted.name + ":second"}, wanted.wait,
                                   {.lease = wanted.lease, .renew = false});
        return set_ ? "held" : "busy";
    }
    if (!wanted.kind.empty()) {
        lease_ = take_kind(wanted);
        return lease_ ? "held" : "busy";
    }
    return wanted.reentrant ? take_again_and_again(wanted) : take(wanted);
}

std::optional<lease> hold::take_kind(const terms& wanted) {
    if (wanted.kind == "read") {
        return shared_mutex{fleet_, wanted.name, options(wanted)}.try_acquire_shared_for(
            wanted.wait);
    }
    if (wanted.kind == "write") {
        return shared_mutex{fleet_, wanted.name, options(wanted)}.try_acquire_for(wanted.wait);
    }
    if (wanted.kind == "fair") {
        return mutex{fleet_, wanted.name, options(wanted)}.try_acquire_for(wanted.wait);
    }
    constexpr unsigned permits = 2; // as PROTOCOL.md says
    return counting_semaphore{fleet_, wanted.name, permits, options(wanted)}.try_acquire_for(
        1, wanted.wait);
}

std::string hold::take(const terms& wanted) {
    mutex_.emplace(fleet_, wanted.name, options(wanted));
    lease_ = wanted.wait == milliseconds{0} ? mutex_->try_acquire()
                                            : mutex_->try_acquire_for(wanted.wait);
    return lease_ ? with_token(wanted.fenced, wanted.fenced ? lease_->token() : 0) : "busy";
}

std::string hold::take_again_and_again(const terms& wanted) {
    const auto lock = [&](auto& which) -> std::string {
        which.emplace(fleet_, wanted.name, options(wanted));
        const bool took =
            wanted.wait == milliseconds{0} ? which->try_lock() : which->try_lock_for(wanted.wait);
        return took ? with_token(wanted.fenced, wanted.fenced ? which->token() : 0) : "busy";
    };
    return layout_ == layout::redisson ? lock(counted_) : lock(mutex_);
}

std::string hold::reenter() {
    if (lease_) { return mutex_->try_acquire() ? "held" : "busy"; }
    return (counted_ ? counted_->try_lock() : mutex_->try_lock()) ? "held" : "busy";
}

std::string hold::renew() {
    if (!lease_) { return reenter() == "held" ? "renewed" : "lost"; }
    std::error_code failure;
    lease_->extend(length_, failure);
    if (failure == errc::lost) { return "lost"; }
    if (failure) { throw error{failure, "renewing"}; }
    return "renewed";
}

std::string hold::release() {
    if (set_) { return set_->release() == release_answer::released ? "released" : "lost"; }
    if (lease_) { return lease_->release() == release_answer::released ? "released" : "lost"; }
    const bool still_ours = counted_ ? counted_->valid() : mutex_->valid();
    unsigned left = 0;
    if (counted_) {
        counted_->unlock();
        left = counted_->count();
    } else {
        mutex_->unlock();
    }
    if (left > 0) { return "held"; }
    return still_ours ? "released" : "lost";
}

} // namespace holdfast::interop
