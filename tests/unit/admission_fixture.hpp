#pragma once
// One name under the admission rule, with a clock that the test moves.

#include "holdfast/engine/admission/gate.hpp"
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

struct clients_known final : liveness {
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

    /// Runs `act` on a gate at this moment; `changed` and `pushes` are of this run alone.
    template <typename Act>
    auto at_the_gate(Act act) {
        const moment at{now, wall_us, &clients};
        pushes.clear();
        gate door{state, *asked, at, pushes};
        auto said = act(door);
        changed = door.changed();
        return said;
    }
    answer acquire(const acquire_op& operation) {
        return at_the_gate([&](gate& door) { return door.acquire(operation, {"host", 7}); });
    }
    op_status ask(const acquire_op& operation) { return acquire(operation).status; }
    op_status release(const base::owner_id& owner) {
        return at_the_gate([&](gate& door) { return door.release(owner); });
    }
    op_status withdraw(const base::owner_id& owner) {
        return at_the_gate([&](gate& door) { return door.withdraw(owner); });
    }
    op_status break_lock(std::uint64_t only_token = 0) {
        return at_the_gate([&](gate& door) { return door.break_lock({"stock:1001", only_token}); });
    }
    op_status renew(const base::owner_id& owner, base::milliseconds lease = 10s) {
        return at_the_gate([&](gate& door) {
                   return door.beat({{"stock:1001", owner}, false, lease, 1});
               })
            .status;
    }
    beat_answer beat(const base::owner_id& owner) {
        return at_the_gate([&](gate& door) {
            return door.beat({{"stock:1001", owner}, true, 0ms});
        });
    }
    lock_info inspect() {
        return at_the_gate([&](gate& door) { return door.inspect("stock:1001"); });
    }
    /// An owner who has asked for nothing yet.
    base::owner_id fresh() { return owner(9, ++last_fresh); }
    /// As an engine does that keeps no record for longer than it must. False: it must.
    bool forget() {
        at_the_gate([](gate& door) {
            door.tidy();
            return 0;
        });
        if (!forgettable(state, now, wall_us)) { return false; }
        mark = std::max(mark, state.high_water);
        state = {};
        state.floor = mark;
        return true;
    }
    void pass(base::duration time) {
        now += time;
        wall_us += std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    }

    /// Who were told so by the last operation, in order.
    [[nodiscard]] std::vector<base::owner_id> told(notice::kind type) const {
        std::vector<base::owner_id> out;
        for (const push& one : pushes) {
            if (one.notice.type == type) { out.push_back({one.to, one.notice.number}); }
        }
        return out;
    }
    [[nodiscard]] std::vector<base::owner_id> told_granted() const {
        return told(notice::kind::granted);
    }
    /// Holders in the order of their grants, resting ones included.
    [[nodiscard]] std::vector<base::owner_id> holders() const {
        std::vector<base::owner_id> out;
        for (const hold& one : state.holds) { out.push_back(one.owner); }
        return out;
    }

    using owners = std::vector<base::owner_id>;

    record state;
    std::uint64_t mark = 0;
    std::uint64_t last_fresh = 0;
    list_queue queue;
    waiter_queue* asked = &queue;
    base::instant now{1h};
    std::int64_t wall_us = 1'700'000'000'000'000;
    clients_known clients;
    std::vector<push> pushes;
    bool changed = false;

    const base::owner_id a = owner(1);
    const base::owner_id b = owner(2);
    const base::owner_id c = owner(3);
    const base::owner_id d = owner(4);
};

} // namespace holdfast::engine::admission
