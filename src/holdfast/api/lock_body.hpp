#pragma once
// What a lock object consists of: its name and options, and the holds of threads.

#include "holdfast/api/access.hpp"
#include "holdfast/api/acquire_call.hpp"
#include "holdfast/api/active_calls.hpp"
#include "holdfast/api/counted_holds.hpp"
#include "holdfast/api/failure.hpp"
#include "holdfast/api/single_holds.hpp"

#include <holdfast/detail/lock_handle.hpp>

#include <memory>
#include <string>
#include <utility>

namespace holdfast::detail {

class lock_handle::body {
public:
    body(const client& client, std::string name, lock_class type, unsigned limit,
         lock_options options)
        : lock{access::core(client), std::move(name), type, limit, std::move(options)} {
        if (type == lock_class::recursive_mutex) {
            holds = std::make_unique<api::counted_holds>(lock);
        } else {
            holds = std::make_unique<api::single_holds>(lock);
        }
    }

    /// Returns the hold of a new lease; null if there is none.
    [[nodiscard]] std::shared_ptr<core::hold> acquire(const api::acquire_call& call) {
        const api::active_calls::scope scope{active_calls};
        if (!call.is_allowed()) { return nullptr; }
        // Leases are not counted, so the thread would wait for itself.
        if (lock.type == lock_class::recursive_mutex &&
            core::held_by_this_thread(*lock.core, lock.id)) {
            api::fail(call.failure(), make_error_code(errc::would_deadlock), lock.text(),
                      "this thread holds it by lock(), which leases are not counted with; unlock "
                      "it first");
            return nullptr;
        }
        return call.run();
    }

    [[nodiscard]] bool lock_for_thread(const api::acquire_call& call) {
        const api::active_calls::scope scope{active_calls};
        if (!call.is_allowed()) { return false; }
        const auto relocked = holds->lock_again(call);
        if (relocked != api::thread_holds::relock_result::not_held) {
            return relocked == api::thread_holds::relock_result::done;
        }
        const auto hold = call.run();
        if (hold) { holds->add(hold); }
        return hold != nullptr;
    }

    [[nodiscard]] std::shared_ptr<core::hold> require_hold(const char* function) const {
        auto hold = holds->find();
        if (!hold) {
            throw error{errc::not_held, lock.text() + ": " + function +
                                            " by a thread that does not hold it; lock it first"};
        }
        return hold;
    }

    api::lock_object lock;
    std::unique_ptr<api::thread_holds> holds;
    api::active_calls active_calls;
};

} // namespace holdfast::detail
