// Sequences of requests with a timing or an order that a client cannot be made to produce: the test
// calls the scripts itself.

#include "fault/redis_fixture.hpp"
#include "holdfast/engine/redis/fields.hpp"

#include <regex>

namespace holdfast::test {
namespace {

using engine::op_status;
using engine::queueing;

/// All keys of a name as text; instants and lives, which differ from run to run, are left out.
std::string state_without_times(redis_server& server, const std::string& key) {
    static const std::regex instant{"17[0-9]{14}"};
    std::string out = server.command({"GET", key}).string() + '\n';
    const auto holders = server.command({"HGETALL", key + ":h"});
    const auto deadlines = server.command({"ZRANGE", key + ":d", "0", "-1"});
    for (const auto& item : holders.items()) { out += item.string() + '\n'; }
    for (const auto& item : deadlines.items()) { out += item.string() + '\n'; }
    for (const auto* const end : {"", ":h", ":d"}) {
        out +=
            server.command({"PTTL", key + end}).number() > 0 ? "ends " : "stays or is not there ";
    }
    return std::regex_replace(out, instant, "INSTANT");
}

class redis_call : public redis_fault {
protected:
    static std::string padded(std::int64_t value, std::size_t digits) {
        auto text = std::to_string(value);
        return text.insert(0, digits - text.size(), '0');
    }
    [[nodiscard]] std::int64_t now_us() {
        const auto time = server.command({"TIME"}).items();
        return std::stoll(time.at(0).string()) * 1'000'000 + std::stoll(time.at(1).string());
    }
    /// Acquires like a client whose earlier request has the not-after `late`, if that is not 0.
    redis_reply acquire(const std::string& owner, std::int64_t not_after, std::int64_t late = 0,
                        milliseconds lease = 30s) {
        std::vector<std::string> words{"EVAL", std::string{scripts::acquire.text}, "1", key,
                                       padded(not_after, 16) + no_instant + owner +
                                           "mx-0000100001" + padded(lease.count(), 8) +
                                           "00000000000" + "g" + "1\nhost\n"};
        if (late > 0) { words.insert(words.end(), {"0", std::to_string(late)}); }
        return server.command(words);
    }
    redis_reply release(const std::string& owner) {
        return server.command(
            {"EVAL", std::string{scripts::release.text}, "1", key, no_instant + owner});
    }
    redis_reply renew(const std::string& owner, milliseconds lease, int order) {
        return server.command({"EVAL", std::string{scripts::beat.text}, "1", key,
                               no_instant + owner + padded(lease.count(), 8) + padded(order, 12)});
    }
    [[nodiscard]] milliseconds life(const std::string& of) {
        return milliseconds{server.command({"PTTL", of}).number()};
    }
    /// As if no waiter had sent a beat for some seconds, because of the server or of them.
    void silence() {
        const auto all = server.command({"HGETALL", key + ":w"}).items();
        for (std::size_t at = 0; at + 1 < all.size(); at += 2) {
            auto entry = all[at + 1].string();
            if (all[at].string().size() < 48) { continue; } // no waiter
            entry.replace(0, 16, "0000000000000001");
            server.command({"HSET", key + ":w", all[at].string(), entry});
        }
        server.command({"PEXPIRE", key + ":w", "7000"});
    }

    const std::string key = "hf:{stock}";
    const std::string no_instant = std::string(16, '0');
    static constexpr std::int64_t ended = engine::redis::fields::answer_ended;
    const std::string owner_1 = std::string(47, 'a') + '1';
    const std::string owner_2 = std::string(47, 'b') + '1';
};

// It acquired three times: the first was granted and the reply lost, the second is delayed.
TEST_F(redis_call, of_an_acquire_between_two_others_takes_nothing) { // P5
    const auto until = now_us() + 5'000'000;
    const auto token = acquire(owner_1, until).number();
    EXPECT_EQ(acquire(owner_1, until + 2, until + 1).number(), token) << "it holds it";
    EXPECT_EQ(release(owner_1).number(), 1);
    EXPECT_GT(acquire(owner_2, until).number(), token);
    EXPECT_EQ(release(owner_2).number(), 1);
    EXPECT_EQ(acquire(owner_1, until + 1).items().at(0).number(), ended) << "the second, at last";
    EXPECT_FALSE(is_held());
}

// It was told that its ticket has ended, and goes on as another owner: nobody would withdraw this.
TEST_F(redis_call, of_an_acquire_of_a_ticket_that_an_operator_released_takes_nothing) { // P5
    const auto until = now_us() + 5'000'000;
    (void)acquire(owner_1, until);
    EXPECT_EQ(release(owner_1).number(), 1) << "by an operator";
    EXPECT_EQ(acquire(owner_1, until + 2, until + 1).items().at(0).number(), ended);
    (void)acquire(owner_2, until);
    EXPECT_EQ(release(owner_2).number(), 1) << "which is the last release now";
    EXPECT_EQ(acquire(owner_1, until + 1).items().at(0).number(), ended);
    EXPECT_FALSE(is_held());
}

// Each names those before it. The second, which comes late, must not lower what the last has said.
TEST_F(redis_call, of_acquires_that_come_late_in_any_order_takes_nothing) { // P5
    const auto until = now_us() + 5'000'000;
    const auto token = acquire(owner_1, until + 4, until + 3).number();
    EXPECT_EQ(acquire(owner_1, until + 2, until + 1).number(), token) << "it holds it";
    EXPECT_EQ(release(owner_1).number(), 1);
    (void)acquire(owner_2, until);
    EXPECT_EQ(release(owner_2).number(), 1);
    EXPECT_EQ(acquire(owner_1, until + 3, until + 2).items().at(0).number(), ended);
    EXPECT_FALSE(is_held());
}

// A free name has a short way, and one for whatever is unusual, which an earlier request is.
TEST_F(redis_call, of_readers_and_permits_does_the_same_on_the_short_way_and_the_long_one) { // P1
    const std::string quick = "hf:{quick}";
    const std::string slow = "hf:{slow}";
    for (const std::string terms : {"ss-0000100001", "pp-0000300005"}) {
        server.command({"DEL", quick, slow});
        for (int round = 0; round < 2; ++round) { // of a new name, then of an idle one
            const auto until = now_us() + 5'000'000;
            const auto owner = std::string(47, 'a') + static_cast<char>('1' + round);
            const auto request = padded(until, 16) + no_instant + owner + terms + "00030000" +
                                 "00000000000" + "g" + "1\nhost\n";
            const std::string script{scripts::acquire.text};
            EXPECT_GT(server.command({"EVAL", script, "1", quick, request, "0"}).number(), 0);
            EXPECT_GT(server.command({"EVAL", script, "1", slow, request, "0", "1"}).number(), 0);
            EXPECT_EQ(state_without_times(server, quick), state_without_times(server, slow));
            const std::string end{scripts::release.text};
            EXPECT_EQ(server.command({"EVAL", end, "1", quick, no_instant + owner}).number(), 1);
            server.command({"SETRANGE", slow, "132", "2"}); // as if the clock was stepped back
            EXPECT_EQ(server.command({"EVAL", end, "1", slow, no_instant + owner}).number(), 1);
            EXPECT_EQ(state_without_times(server, quick), state_without_times(server, slow))
                << "round " << round;
        }
    }
}

TEST_F(redis_call, of_a_late_acquire_does_not_undo_an_extend_to_less) { // P5, P7
    const auto until = now_us() + 5'000'000;
    const auto token = acquire(owner_1, until + 1, until, 24h).number();
    EXPECT_GT(token, 0);
    EXPECT_EQ(renew(owner_1, 2s, 1).items().at(0).number(), 1);
    (void)acquire(owner_1, until, 0, 24h);
    EXPECT_LE(look().holders.at(0).remaining, 2s);
}

TEST_F(redis_call, of_a_hand_off_does_not_keep_the_life_of_a_long_lease) { // P8
    seam_client here{server.url()};
    for (int i = 0; i < 20; ++i) { // some of them within one window of the mark
        const auto first = here.ticket("stock");
        const auto next = here.ticket("stock");
        ASSERT_EQ(here.acquire(first, {.lease = 24h}).status, op_status::granted);
        ASSERT_EQ(here.acquire(next, {.queue = queueing::grant}).status, op_status::queued);
        ASSERT_EQ(here.release(first).status, op_status::handed_off);
        ASSERT_EQ(here.release(next).status, op_status::released);
        ASSERT_LT(life(key), 120s) << i;
    }
}

TEST_F(redis_call, of_a_name_with_many_dead_waiters_revives_them_once) { // P6, P8
    seam_client holder{server.url()};
    seam_client dead{server.url()}; // its inbox is there, and nobody looks at it
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held).status, op_status::granted);
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(
            dead.acquire(dead.ticket("stock"), {.lease = 100ms, .queue = queueing::grant}).status,
            op_status::queued);
    }
    silence();
    EXPECT_EQ(holder.release(held).status, op_status::handed_off)
        << "the server may have stood still";
    std::this_thread::sleep_for(110ms); // its lease
    silence();
    EXPECT_EQ(holder.acquire(holder.ticket("stock")).status, op_status::granted)
        << "each of the dead gets it in turn";
}

TEST_F(redis_call, of_a_waiter_whose_queue_was_deleted_queues_anew) { // P7
    seam_client here{server.url()};
    const auto waiting = here.ticket("stock");
    ASSERT_EQ(here.acquire(here.ticket("stock")).status, op_status::granted);
    ASSERT_EQ(here.acquire(waiting, {.queue = queueing::grant}).status, op_status::queued);
    server.command({"DEL", key + ":q"});
    EXPECT_EQ(here.wait_on(waiting).status, op_status::lost) << "it would be told to wait for ever";
    ASSERT_EQ(here.acquire(waiting, {.queue = queueing::grant}).status, op_status::queued);
    EXPECT_EQ(here.wait_on(waiting).status, op_status::queued);
}

// A client whose grant was lost acquires again with the same ticket, and must be granted once.
TEST_F(redis_call, of_a_broken_ticket_is_refused_for_a_minute_only) { // P7
    const auto until = now_us() + 5'000'000;
    (void)acquire(owner_1, until, 0, 24h);
    server.command({"EVAL", std::string{scripts::break_lock.text}, "1", key, "0"});
    EXPECT_EQ(acquire(owner_1, until + 1).items().at(0).number(), ended);
    EXPECT_LT(life(key + ":t"), 70s);
    EXPECT_LT(life(key), 180s);
}

} // namespace
} // namespace holdfast::test
