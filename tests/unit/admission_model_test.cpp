// Thousands of random operations on virtual time, against a model that knows only who asked when,
// who was told what, and for how long.

#include "admission_fixture.hpp"
#include "holdfast/base/random.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace holdfast::engine::admission {
namespace {

class admission_model : public admission, public testing::WithParamInterface<unsigned> {
protected:
    struct asked_for {
        acquire_op operation;
        base::instant alive_until;
    };

    base::owner_id any_owner() {
        return owner(static_cast<std::uint8_t>(1 + chance.below(6)), ++last_number);
    }

    acquire_op any_request() {
        const auto owner = any_owner();
        acquire_op out = kind == primitive::mutex       ? exclusive(owner)
                         : kind == primitive::semaphore ? permits(owner, pick(1, 5))
                         : chance.below(3) == 0         ? writer(owner)
                                                        : reader(owner);
        out.lease = base::milliseconds{pick(100, 4000)};
        if (chance.below(8) == 0) { out.min_hold = base::milliseconds{pick(1, 3000)}; }
        out.queue = static_cast<queueing>(pick(0, 9) < 7 ? 2 : pick(0, 2));
        if (chance.below(20) == 0) { out.not_after = now - 1ns; }
        return out;
    }

    unsigned pick(unsigned least, unsigned most) {
        return least + static_cast<unsigned>(chance.below(most - least + 1));
    }

    void a_request() {
        const auto operation = any_request();
        const auto answer = acquire(operation);
        see_pushes();
        if (answer.status == op_status::granted) {
            ASSERT_TRUE(live_waiters().empty()) << "a newcomer passed a waiter";
            begin(operation, answer.token, operation.lease);
        } else if (answer.status == op_status::queued) {
            queued.push_back({operation, now + waiter_patience});
        }
        if (operation.not_after < now) { ASSERT_EQ(answer.status, op_status::busy); }
    }

    void a_beat() {
        if (queued.empty()) { return; }
        auto& one = queued.at(chance.below(queued.size()));
        const auto ticket = one.operation;
        const bool alive = one.alive_until > now;
        const auto answer = beat(ticket.ticket.owner);
        see_pushes(answer.status == op_status::granted ? &ticket.ticket.owner : nullptr);
        if (!alive) { ASSERT_NE(answer.status, op_status::granted); }
        if (answer.status == op_status::queued) {
            for (auto& entry : queued) {
                if (entry.operation.ticket == ticket.ticket) {
                    entry.alive_until = now + waiter_patience;
                }
            }
        } else if (answer.status == op_status::granted) {
            take_from_queue(ticket.ticket.owner);
            begin(ticket, answer.token, std::min(hand_off_lease, ticket.lease));
        }
    }

    void a_renewal() {
        if (held.empty()) { return; }
        const auto one = any_holder();
        const base::milliseconds lease{pick(100, 4000)};
        const bool alive = held.at(one).second > now;
        ASSERT_EQ(renew(one, lease), alive ? op_status::renewed : op_status::lost);
        see_pushes();
        if (alive) { held.at(one).second = now + lease; }
    }

    void an_end() {
        const bool waits = !queued.empty() && chance.below(3) == 0;
        if (!waits && held.empty()) { return; }
        const auto one =
            waits ? queued.at(chance.below(queued.size())).operation.ticket.owner : any_holder();
        if (waits) {
            const auto status = withdraw(one);
            ASSERT_TRUE(status == op_status::released || status == op_status::not_held);
            std::erase_if(queued, [&](const auto& q) { return q.operation.ticket.owner == one; });
        } else {
            const bool alive = held.at(one).second > now;
            const auto status = release(one);
            ASSERT_EQ(status != op_status::not_held, alive);
            held.erase(one);
            see_pushes();
            ASSERT_EQ(release(owner(99)), op_status::not_held);
            if (alive) { ASSERT_EQ(release(one), status); }
        }
        see_pushes();
    }

    void a_break() {
        break_lock(chance.below(2) == 0 ? 0 : state.high_water);
        for (const auto& one : told(notice::kind::broken)) { ASSERT_EQ(held.erase(one), 1U); }
        see_pushes();
    }

    base::owner_id any_holder() {
        auto one = held.begin();
        std::advance(one, static_cast<std::ptrdiff_t>(chance.below(held.size())));
        return one->first;
    }

    /// P6: whoever is granted or told was behind nobody who is alive and was not in the same step.
    /// `asker` is who was granted by an answer.
    void see_pushes(const base::owner_id* asker = nullptr) {
        std::set<base::owner_id> served;
        for (const push& one : pushes) { served.insert({one.to, one.notice.number}); }
        if (asker != nullptr) { served.insert(*asker); }
        std::size_t passed = 0;
        for (const auto& one : queued) {
            if (served.contains(one.operation.ticket.owner)) {
                ASSERT_EQ(passed, 0U) << "a waiter was passed";
            } else if (one.alive_until > now) {
                ++passed;
            }
        }
        for (const push& one : std::exchange(pushes, {})) {
            const base::owner_id owner{one.to, one.notice.number};
            if (one.notice.type == notice::kind::broken) { continue; }
            const auto operation = take_from_queue(owner);
            const bool hint = one.notice.type == notice::kind::maybe_free;
            ASSERT_EQ(operation.queue, hint ? queueing::hint : queueing::grant);
            if (!hint) {
                begin(operation, one.notice.token, std::min(hand_off_lease, operation.lease));
            }
        }
    }

    acquire_op take_from_queue(const base::owner_id& owner) {
        const auto found = std::find_if(queued.begin(), queued.end(), [&](const auto& q) {
            return q.operation.ticket.owner == owner;
        });
        EXPECT_NE(found, queued.end()) << "told somebody who does not wait";
        if (found == queued.end()) { return {}; }
        auto operation = found->operation;
        queued.erase(found);
        return operation;
    }

    void begin(const acquire_op& operation, std::uint64_t token, base::milliseconds lease) {
        if (operation.mode == mode::permits) {
            ASSERT_TRUE(permit_ids.insert(token).second);
        } else if (operation.mode == mode::shared) {
            ASSERT_GE(token, last_token);
        } else {
            ASSERT_GT(token, last_token); // P3
        }
        last_token = token;
        ASSERT_TRUE(held.emplace(operation.ticket.owner, std::pair{operation, now + lease}).second);
    }

    std::vector<base::owner_id> live_waiters() {
        std::vector<base::owner_id> out;
        for (const auto& one : queued) {
            if (one.alive_until > now) { out.push_back(one.operation.ticket.owner); }
        }
        return out;
    }

    /// P1, from what clients were told, and from the engine's own state.
    void check() {
        std::map<mode, unsigned> sum;
        for (const auto& [who, one] : held) {
            if (one.second > now) { sum[one.first.mode] += one.first.permits; }
        }
        ASSERT_LE(sum[mode::exclusive], 1U);
        ASSERT_TRUE(sum[mode::exclusive] == 0 || sum[mode::shared] == 0);
        ASSERT_LE(sum[mode::permits], 5U);
        std::map<mode, unsigned> kept;
        for (const hold& one : state.holds) { kept[one.mode] += one.permits; }
        ASSERT_LE(kept[mode::exclusive], 1U);
        ASSERT_TRUE(kept[mode::exclusive] == 0 || kept[mode::shared] == 0);
        ASSERT_LE(kept[mode::permits], 5U);
        unsigned entries = 0;
        queue.visit([&](const waiter&) { ++entries; });
        ASSERT_EQ(state.waiting, entries);
        if (entries > 0) { ASSERT_FALSE(state.holds.empty()) << "nobody holds, yet they wait"; }
    }

    /// Nobody uses the name for a while, and its record goes; the clock is set meanwhile.
    void a_pause() {
        while (!queued.empty()) {
            withdraw(queued.front().operation.ticket.owner);
            queued.pop_front();
            see_pushes();
        }
        for (const auto& one : std::exchange(held, {})) { release(one.first); }
        pass(std::chrono::milliseconds{pick(1000, 150'000)});
        see_pushes();
        (void)forget();
        wall_us += pick(0, 600'000'000);
        wall_us -= pick(0, 600'000'000);
    }

    void step() {
        if (chance.below(150) == 0) { a_pause(); }
        const auto what = chance.below(100);
        if (what < 40) {
            a_request();
        } else if (what < 60) {
            a_beat();
        } else if (what < 72) {
            a_renewal();
        } else if (what < 96) {
            an_end();
        } else {
            a_break();
        }
        check();
        if (chance.below(3) == 0) { pass(std::chrono::microseconds{pick(0, 400'000)}); }
        if (chance.below(50) == 0) { wall_us -= pick(0, 2'000'000); } // somebody sets the clock
    }

    base::jitter chance{GetParam()};
    primitive kind = static_cast<primitive>(GetParam() % 3);
    std::uint64_t last_number = 0;
    std::uint64_t last_token = 0;
    std::set<std::uint64_t> permit_ids;
    std::deque<asked_for> queued;
    std::map<base::owner_id, std::pair<acquire_op, base::instant>> held; ///< and until when
};

TEST_P(admission_model, holds_for_thousands_of_random_operations) {
    for (int i = 0; i < 4000; ++i) {
        step();
        if (HasFatalFailure()) { FAIL() << "operation " << i << ", seed " << GetParam(); }
    }
    // P8: nothing is left when all have gone.
    for (const auto& one : std::exchange(queued, {})) { withdraw(one.operation.ticket.owner); }
    for (std::uint64_t number = 1; number <= last_number; ++number) {
        for (std::uint8_t client = 1; client <= 6; ++client) { release(owner(client, number)); }
    }
    pass(3s); // the longest min_hold
    EXPECT_TRUE(inspect().holders.empty());
    EXPECT_TRUE(state.idle());
    EXPECT_EQ(queue.front(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(seeds, admission_model, testing::Range(0U, 12U));

} // namespace
} // namespace holdfast::engine::admission
