// lock_handle: several locks at once.

#include "holdfast/api/hold_calls.hpp"
#include "holdfast/api/lock_body.hpp"
#include "holdfast/base/quote.hpp"
#include "holdfast/base/rollback.hpp"

#include <algorithm>
#include <deque>
#include <new>
#include <tuple>
#include <vector>

namespace holdfast::detail {

namespace {

constexpr share writer{mode::exclusive, 1};

auto order_of(const api::lock_object& lock) { return std::tie(lock.id.name, lock.id.layout); }

/// Only a recursive_mutex counts a second lock.
bool waits_for_itself(const api::lock_object& lock, const api::lock_object& other) {
    return order_of(lock) == order_of(other) &&
           (lock.type != lock_class::recursive_mutex || other.type != lock_class::recursive_mutex);
}

} // namespace

/// The locks of one call of lock_all(), in canonical order.
class lock_handle::all_locks {
public:
    all_locks(std::span<lock_handle* const> locks, wait_limit wait, const acquire_options& options,
              std::error_code* failure)
        : wait_{wait}, options_{options}, failure_{failure} {
        for (auto* const each : locks) {
            bodies_.push_back(each->body_.get());
            active_.emplace_back(each->body_->active_calls);
        }
        std::stable_sort(bodies_.begin(), bodies_.end(), [](const body* left, const body* right) {
            return order_of(left->lock) < order_of(right->lock);
        });
    }

    [[nodiscard]] bool run() {
        if (!is_allowed()) { return false; }
        std::vector<body*> counted; // locked again, without a request
        std::vector<body*> wanted;
        base::rollback undo{[&] {
            for (auto* const each : counted) {
                static_cast<void>(each->holds->remove(writer.mode));
            }
        }};
        counted.reserve(bodies_.size());
        for (auto* const each : bodies_) {
            if (!wanted.empty() && order_of(wanted.back()->lock) == order_of(each->lock)) {
                continue; // a recursive_mutex: see below
            }
            switch (each->holds->count_again(call_of(*each))) {
            case api::thread_holds::relock_result::not_held: wanted.push_back(each); break;
            case api::thread_holds::relock_result::done: counted.push_back(each); break;
            case api::thread_holds::relock_result::refused: return false;
            }
        }
        if (!acquire(wanted)) { return false; }
        undo.confirm();
        for (std::size_t at = 1; at < bodies_.size(); ++at) { // the thread holds them now
            if (order_of(bodies_[at - 1]->lock) != order_of(bodies_[at]->lock) ||
                std::find(counted.begin(), counted.end(), bodies_[at]) != counted.end()) {
                continue;
            }
            static_cast<void>(bodies_[at]->holds->count_again(call_of(*bodies_[at])));
        }
        return true;
    }

private:
    [[nodiscard]] api::acquire_call call_of(const body& each) const {
        return {each.lock, writer, wait_, options_, policy(), failure_};
    }
    [[nodiscard]] api::stop_policy policy() const noexcept {
        return wait_.at_most == wait_limit::unlimited().at_most ? api::stop_policy::fails
                                                                : api::stop_policy::gives_up;
    }

    [[nodiscard]] bool is_allowed() const {
        for (std::size_t at = 0; at < bodies_.size(); ++at) {
            const auto& lock = bodies_[at]->lock;
            if (lock.core != bodies_.front()->lock.core) {
                api::fail(failure_, make_error_code(errc::invalid_option), "lock_all()",
                          "the locks are of several clients; make all of them from one client");
                return false;
            }
            if (!call_of(*bodies_[at]).is_allowed()) { return false; }
            if (at > 0 && waits_for_itself(bodies_[at - 1]->lock, lock)) {
                api::fail(failure_, make_error_code(errc::would_deadlock), lock.text(),
                          "two of the locks have this name; lock it once");
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] bool acquire(const std::vector<body*>& wanted) {
        if (wanted.empty()) { return true; }
        auto& core = *wanted.front()->lock.core;
        std::vector<core::lock_request> requests;
        requests.reserve(wanted.size());
        for (const auto* const each : wanted) {
            requests.push_back(each->lock.request(writer, options_));
        }
        const auto result = core.acquire_all(requests, wait_, options_.stop);
        if (result.failure) {
            if (result.failure == errc::cancelled && policy() == api::stop_policy::gives_up) {
                return false;
            }
            const auto subject = result.name.empty() ? "lock_all()" : base::quote(result.name);
            api::fail(failure_, result.failure, subject, result.detail);
        }
        if (result.holds.empty()) { return false; }
        std::size_t added = 0;
        base::rollback undo{[&] {
            for (std::size_t at = 0; at < added; ++at) {
                static_cast<void>(wanted[at]->holds->remove(writer.mode));
            }
            core.release_in_background(result.holds, false);
        }};
        for (; added < wanted.size(); ++added) { wanted[added]->holds->add(result.holds[added]); }
        undo.confirm();
        return true;
    }

    std::vector<body*> bodies_;
    std::deque<api::active_calls::scope> active_; // a scope cannot be moved
    wait_limit wait_;
    const acquire_options& options_;
    std::error_code* failure_;
};

bool lock_handle::lock_all(std::span<lock_handle* const> locks, wait_limit wait,
                           const acquire_options& options, std::error_code* failure) {
    return all_locks{locks, wait, options, failure}.run();
}

void lock_handle::unlock_all(std::span<lock_handle* const> locks) noexcept {
    auto& core = *locks.front()->body_->lock.core;
    if (core.inherited()) { return; }
    const bool one_client = std::all_of(locks.begin(), locks.end(), [&](const lock_handle* each) {
        return each->body_->lock.core.get() == &core;
    });
    const auto unlock_each = [&] {
        for (auto* const each : locks) { each->unlock(writer); }
    };
    if (!one_client) { return unlock_each(); }
    std::vector<std::shared_ptr<core::hold>> holds;
    try {
        holds.reserve(locks.size());
    } catch (const std::bad_alloc&) { return unlock_each(); }
    for (auto* const each : locks) {
        auto removed = each->body_->holds->remove(writer.mode);
        if (removed.hold && !removed.hold->why_lost()) {
            holds.push_back(std::move(removed.hold));
        } else if (removed.hold) {
            api::unlock(core, *removed.hold); // reports the loss
        } else if (!removed.was_held) {
            each->report_not_held();
        }
    }
    core.release_in_background(holds, true);
}

} // namespace holdfast::detail
