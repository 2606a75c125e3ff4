#pragma once
// A fixture: one name under the admission rule, with a clock that the test advances.

#include "holdfast/engine/admission/admission_rule.hpp"
#include "holdfast/engine/admission/list_queue.hpp"

#include <holdfast/error.hpp>
#include <holdfast/options.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::engine::admission {

using namespace std::chrono_literals;

/// Client `c`'s request number `number`.
inline base::owner_id owner(std::uint8_t c, std::uint64_t number = 1) {
    base::owner_id out;
    out.client.bytes[0] = c;
    out.number = number;
    return out;
}

struct fake_liveness final : liveness {
    std::set<base::client_id> dead;
    [[nodiscard]] bool is_alive(const base::client_id& client) const override {
        return !dead.contains(client);
    }
};

class admission : public testing::Test {
protected:
    static acquire_op exclusive(const base::owner_id& owner) {
        acquire_op out;
        out.ticket = {"stock:1001", owner};
        out.lease = 10s;
        out.queue = queueing::grant;
        return out;
    }
    static acquire_op writer(const base::owner_id& owner) {
        acquire_op out = exclusive(owner);
        out.kind = primitive::shared_mutex;
        return out;
    }
    static acquire_op reader(const base::owner_id& owner) {
        acquire_op out = writer(owner);
        out.mode = mode::shared;
        return out;
    }
    static acquire_op permits(const base::owner_id& owner, unsigned count, unsigned limit = 5) {
        acquire_op out = exclusive(owner);
        out.kind = primitive::semaphore;
        out.mode = mode::permits;
        out.permits = count;
        out.limit = limit;
        return out;
    }

    /// Calls `act` with the rule at this moment; `changed` and `pushes` are of this call alone.
    template <typename Act>
    auto apply(Act act) {
        const moment at{now, wall_us, &clients};
        pushes.clear();
        admission_rule rule{state, *used_queue, at, pushes};
        auto result = act(rule);
        changed = rule.changed();
        return result;
    }
    answer acquire(const acquire_op& operation) {
        return apply([&](admission_rule& rule) { return rule.acquire(operation, {"host", 7}); });
    }
    op_status ask(const acquire_op& operation) { return acquire(operation).status; }
    op_status release(const base::owner_id& owner) {
        return apply([&](admission_rule& rule) { return rule.release({{"stock:1001", owner}}); });
    }
    op_status withdraw(const base::owner_id& owner) {
        return apply([&](admission_rule& rule) { return rule.withdraw({{"stock:1001", owner}}); });
    }
    op_status break_lock(std::uint64_t only_token = 0) {
        return apply([&](admission_rule& rule) {
            return rule.break_lock({"stock:1001", only_token});
        });
    }
    op_status renew(const base::owner_id& owner, base::milliseconds lease = 10s) {
        return apply([&](admission_rule& rule) {
                   return rule.beat({{"stock:1001", owner}, false, lease, 1}, {});
               })
            .status;
    }
    beat_answer beat(const base::owner_id& owner) {
        return apply([&](admission_rule& rule) {
            return rule.beat({{"stock:1001", owner}, true, 0ms}, {});
        });
    }
    lock_info inspect() {
        return apply([&](admission_rule& rule) { return rule.inspect("stock:1001"); });
    }
    /// An owner who has used_queue for nothing yet.
    base::owner_id fresh() { return owner(9, ++last_fresh); }
    /// Deletes the record if it is deletable, as an engine does. False: it is not.
    bool delete_record() {
        apply([](admission_rule& rule) {
            rule.tidy();
            return 0;
        });
        if (!is_deletable(state, now, wall_us)) { return false; }
        mark = std::max(mark, state.high_water);
        state = {};
        state.floor = mark;
        return true;
    }
    void pass(base::duration time) {
        now += time;
        wall_us += std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    }

    /// The owners that the last operation sent this notice to, in order.
    [[nodiscard]] std::vector<base::owner_id> notified(notice::kind type) const {
        std::vector<base::owner_id> out;
        for (const push& push : pushes) {
            if (push.notice.type == type) { out.push_back({push.to, push.notice.number}); }
        }
        return out;
    }
    [[nodiscard]] std::vector<base::owner_id> granted_by_notice() const {
        return notified(notice::kind::granted);
    }
    /// Holders in the order of their grants, resting ones included.
    [[nodiscard]] std::vector<base::owner_id> holders() const {
        std::vector<base::owner_id> out;
        for (const hold_record& hold : state.holds) { out.push_back(hold.owner); }
        return out;
    }

    using owners = std::vector<base::owner_id>;

    record state;
    std::uint64_t mark = 0;
    std::uint64_t last_fresh = 0;
    list_queue queue;
    waiter_queue* used_queue = &queue;
    base::instant now{1h};
    std::int64_t wall_us = 1'700'000'000'000'000;
    fake_liveness clients;
    std::vector<push> pushes;
    bool changed = false;

    const base::owner_id a = owner(1);
    const base::owner_id b = owner(2);
    const base::owner_id c = owner(3);
    const base::owner_id d = owner(4);
};

} // namespace holdfast::engine::admission
