// Thousands of random operations on virtual time, checked against a model that knows only the
// requests, their answers and the notices.

#include "admission_fixture.hpp"
#include "holdfast/base/random.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

namespace holdfast::engine::admission {
namespace {

class admission_model : public admission, public testing::WithParamInterface<unsigned> {
protected:
    struct queued_request {
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
        constexpr std::array others{queueing::no, queueing::listen, queueing::hint};
        out.queue = pick(0, 9) < 7 ? queueing::grant : others.at(pick(0, 2));
        if (chance.below(20) == 0) { out.not_after = now - 1ns; }
        return out;
    }

    unsigned pick(unsigned min, unsigned max) {
        return min + static_cast<unsigned>(chance.below(max - min + 1));
    }

    void a_request() {
        const auto operation = any_request();
        const auto answer = acquire(operation);
        check_pushes();
        if (answer.status == op_status::granted) {
            ASSERT_TRUE(live_waiters().empty()) << "a newcomer passed a waiter";
            begin(operation, answer.token, operation.lease);
        } else if (operation.queue == queueing::listen) {
            if (answer.status == op_status::queued) { listeners.insert(operation.ticket.owner); }
        } else if (answer.status == op_status::queued) {
            queued.push_back({operation, now + waiter_timeout});
        }
        if (operation.not_after < now) { ASSERT_EQ(answer.status, op_status::busy); }
    }

    void a_beat() {
        if (queued.empty()) { return; }
        const auto& beating = queued.at(chance.below(queued.size()));
        const auto operation = beating.operation;
        const bool alive = beating.alive_until > now;
        const auto answer = beat(operation.ticket.owner);
        check_pushes(answer.status == op_status::granted ? &operation.ticket.owner : nullptr);
        if (!alive) { ASSERT_NE(answer.status, op_status::granted); }
        if (answer.status == op_status::queued) {
            for (auto& entry : queued) {
                if (entry.operation.ticket == operation.ticket) {
                    entry.alive_until = now + waiter_timeout;
                }
            }
        } else if (answer.status == op_status::granted) {
            take_from_queue(operation.ticket.owner);
            begin(operation, answer.token, std::min(hand_off_lease, operation.lease));
        }
    }

    void a_renewal() {
        if (held.empty()) { return; }
        const auto owner = any_holder();
        const base::milliseconds lease{pick(100, 4000)};
        const bool alive = held.at(owner).second > now;
        ASSERT_EQ(renew(owner, lease), alive ? op_status::renewed : op_status::lost);
        check_pushes();
        if (alive) { held.at(owner).second = now + lease; }
    }

    void an_end() {
        const bool waits = !queued.empty() && chance.below(3) == 0;
        if (!waits && held.empty()) { return; }
        const auto ending =
            waits ? queued.at(chance.below(queued.size())).operation.ticket.owner : any_holder();
        if (waits) {
            const auto status = withdraw(ending);
            ASSERT_TRUE(status == op_status::released || status == op_status::not_held);
            std::erase_if(queued,
                          [&](const auto& q) { return q.operation.ticket.owner == ending; });
        } else {
            const bool alive = held.at(ending).second > now;
            const auto status = release(ending);
            ASSERT_EQ(status != op_status::not_held, alive);
            held.erase(ending);
            check_pushes();
            ASSERT_EQ(release(owner(99)), op_status::not_held);
            if (alive) { ASSERT_EQ(release(ending), status); }
        }
        check_pushes();
    }

    void a_break() {
        break_lock(chance.below(2) == 0 ? 0 : state.high_water);
        for (const auto& owner : notified(notice::kind::broken)) {
            ASSERT_EQ(held.erase(owner), 1U);
        }
        check_pushes();
    }

    base::owner_id any_holder() {
        auto it = held.begin();
        std::advance(it, static_cast<std::ptrdiff_t>(chance.below(held.size())));
        return it->first;
    }

    /// P6: no live waiter is left ahead of one that was granted or notified in this step.
    /// `requester` was granted by its answer.
    void check_pushes(const base::owner_id* requester = nullptr) {
        std::set<base::owner_id> served;
        for (const push& push : pushes) { served.insert({push.to, push.notice.number}); }
        if (requester != nullptr) { served.insert(*requester); }
        std::size_t passed = 0;
        for (const auto& entry : queued) {
            if (served.contains(entry.operation.ticket.owner)) {
                ASSERT_EQ(passed, 0U) << "a waiter was passed";
            } else if (entry.alive_until > now) {
                ++passed;
            }
        }
        for (const push& push : std::exchange(pushes, {})) {
            const base::owner_id owner{push.to, push.notice.number};
            if (push.notice.type == notice::kind::broken) { continue; }
            if (push.notice.type == notice::kind::maybe_free && listeners.erase(owner) > 0) {
                continue; // once: it listens no more
            }
            const auto operation = take_from_queue(owner);
            const bool hint = push.notice.type == notice::kind::maybe_free;
            ASSERT_EQ(operation.queue, hint ? queueing::hint : queueing::grant);
            if (!hint) {
                begin(operation, push.notice.token, std::min(hand_off_lease, operation.lease));
            }
        }
    }

    acquire_op take_from_queue(const base::owner_id& owner) {
        const auto found = std::find_if(queued.begin(), queued.end(), [&](const auto& q) {
            return q.operation.ticket.owner == owner;
        });
        EXPECT_NE(found, queued.end()) << "notified an owner that does not wait";
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
        for (const auto& entry : queued) {
            if (entry.alive_until > now) { out.push_back(entry.operation.ticket.owner); }
        }
        return out;
    }

    /// P1, by the answers and notices, and by the record.
    void check() {
        std::map<mode, unsigned> sum;
        for (const auto& [owner, entry] : held) {
            if (entry.second > now) { sum[entry.first.mode] += entry.first.permits; }
        }
        ASSERT_LE(sum[mode::exclusive], 1U);
        ASSERT_TRUE(sum[mode::exclusive] == 0 || sum[mode::shared] == 0);
        ASSERT_LE(sum[mode::permits], 5U);
        std::map<mode, unsigned> kept;
        for (const hold_record& hold : state.holds) { kept[hold.mode] += hold.permits; }
        ASSERT_LE(kept[mode::exclusive], 1U);
        ASSERT_TRUE(kept[mode::exclusive] == 0 || kept[mode::shared] == 0);
        ASSERT_LE(kept[mode::permits], 5U);
        unsigned entries = 0;
        queue.visit([&](const waiter&) { ++entries; });
        ASSERT_EQ(state.waiting, entries);
        if (entries > 0) { ASSERT_FALSE(state.holds.empty()) << "waiters, but no hold"; }
    }

    /// All holds and waits end, the record may be deleted, and the wall clock is set.
    void a_pause() {
        while (!queued.empty()) {
            withdraw(queued.front().operation.ticket.owner);
            queued.pop_front();
            check_pushes();
        }
        for (const auto& entry : std::exchange(held, {})) { release(entry.first); }
        pass(std::chrono::milliseconds{pick(1000, 150'000)});
        check_pushes();
        (void)delete_record();
        wall_us += pick(0, 600'000'000);
        wall_us -= pick(0, 600'000'000);
    }

    void step() {
        if (chance.below(150) == 0) { a_pause(); }
        const auto roll = chance.below(100);
        if (roll < 40) {
            a_request();
        } else if (roll < 60) {
            a_beat();
        } else if (roll < 72) {
            a_renewal();
        } else if (roll < 96) {
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
    std::deque<queued_request> queued;
    std::set<base::owner_id> listeners;
    std::map<base::owner_id, std::pair<acquire_op, base::instant>> held; ///< and until when
};

TEST_P(admission_model, holds_for_thousands_of_random_operations) {
    for (int i = 0; i < 4000; ++i) {
        step();
        if (HasFatalFailure()) { FAIL() << "operation " << i << ", seed " << GetParam(); }
    }
    // P8: nothing is left when all holds and waits have ended.
    for (const auto& entry : std::exchange(queued, {})) { withdraw(entry.operation.ticket.owner); }
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
