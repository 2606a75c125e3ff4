// polling_layout with Redisson's commands: the channels of its primitives, and the place of a
// waiter for its fair lock.

#include "holdfast/engine/redis/layout/layout_set.hpp"
#include "unit/redis_channel_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;
using engine::queueing;
using testing::ElementsAre;

class redis_redisson_layout : public redis_channel {
protected:
    redis_redisson_layout() {
        layouts.attach(*this);
        channel.clock().learn(1'700'000'000'000'000, now, now);
    }
    ~redis_redisson_layout() override { close({}); }

    [[nodiscard]] engine::ticket ticket(std::uint64_t number, layout in) const {
        return {"stock", {identity.client, number}, {in, {}}};
    }
    void begin(engine::op_id id, const engine::op& op, layout in) {
        layouts.for_format({in, {}}).begin(*start(id), op, channel, now);
    }
    /// The ticket has the operation's number.
    void acquire(engine::op_id id, primitive kind, mode mode, layout in = layout::redisson) {
        engine::acquire_op op;
        op.ticket = ticket(id, in);
        op.kind = kind;
        op.mode = mode;
        op.permits = kind == primitive::semaphore ? 2 : 1;
        op.limit = kind == primitive::semaphore ? 5 : 1;
        op.lease = 30s;
        op.queue = queueing::hint;
        begin(id, op, in);
    }
    /// Without those that load scripts, whose replies are given.
    std::vector<words> take() {
        auto all = take_commands();
        const auto loads =
            std::erase_if(all, [](const words& each) { return each[0] == "SCRIPT"; });
        for (std::size_t i = 0; i < loads; ++i) { EXPECT_EQ(say("$1\r\nx\r\n"), ""); }
        return all;
    }
    void say_held() { EXPECT_EQ(say("*2\r\n:1\r\n:5000\r\n"), ""); }
    /// It finds the lock held, and waits; the channel to which it subscribed.
    std::string wait(engine::op_id id, primitive kind, mode mode, layout in = layout::redisson) {
        acquire(id, kind, mode, in);
        take();
        say_held();
        const auto sent = take();
        if (sent.empty()) { return {}; } // another of this client is subscribed
        EXPECT_EQ(sent.at(0).at(0), "SUBSCRIBE");
        say(">3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n");
        say_held();
        EXPECT_EQ(statuses(id).back(), op_status::queued);
        return sent.at(0).at(1);
    }
    void publish(const std::string& to, const std::string& payload) {
        const auto bulk = [](const std::string& text) {
            return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
        };
        say(">3\r\n" + bulk("message") + bulk(to) + bulk(payload));
    }

    const engine::client_identity identity = engine::this_process();
    const engine::redis::options options{};
    engine::redis::layout_set layouts{options, identity, operations};
};

TEST_F(redis_redisson_layout, sends_the_half_and_the_permits_that_are_asked_for) {
    acquire(1, primitive::shared_mutex, mode::shared);
    EXPECT_EQ(take().at(0).back(), "r");
    acquire(2, primitive::shared_mutex, mode::exclusive);
    EXPECT_EQ(take().at(0).back(), "w");
    acquire(3, primitive::semaphore, mode::permits);
    const auto sent = take().at(0);
    EXPECT_EQ((words{sent.end() - 3, sent.end()}), (words{"2", "5", "PUBLISH"}));
}

TEST_F(redis_redisson_layout, wakes_all_readers_by_one_message) {
    const auto readers = wait(1, primitive::shared_mutex, mode::shared);
    EXPECT_EQ(readers, "redisson_rwlock:{stock}");
    wait(2, primitive::shared_mutex, mode::shared);
    publish(readers, "0");
    EXPECT_THAT(notified(), ElementsAre(1, 2));
}

TEST_F(redis_redisson_layout, wakes_all_who_wait_for_permits_by_one_message) {
    const auto waiting = wait(1, primitive::semaphore, mode::permits);
    EXPECT_EQ(waiting, "redisson_sc:{stock}");
    wait(2, primitive::semaphore, mode::permits);
    publish(waiting, "3");
    EXPECT_THAT(notified(), ElementsAre(1, 2));
}

TEST_F(redis_redisson_layout, finds_a_waiter_that_leaves_whatever_it_waited_for) {
    wait(1, primitive::semaphore, mode::permits);
    wait(2, primitive::semaphore, mode::permits);
    begin(3, engine::withdraw_op{ticket(1, layout::redisson)}, layout::redisson);
    EXPECT_THAT(notified(), ElementsAre(2)) << "the first may have heard of a release";
}

TEST_F(redis_redisson_layout, gives_each_fair_waiter_a_channel_of_its_own) {
    const auto in = layout::redisson_fair;
    const auto first = wait(1, primitive::mutex, mode::exclusive, in);
    const auto second = wait(2, primitive::mutex, mode::exclusive, in);
    EXPECT_EQ(first, "redisson_lock__channel:{stock}:" + ticket(1, in).owner.text());
    publish(second, "0");
    EXPECT_THAT(notified(), ElementsAre(2));
}

TEST_F(redis_redisson_layout, withdraws_a_cancelled_acquire_that_has_a_place_in_the_queue) {
    acquire(7, primitive::mutex, mode::exclusive, layout::redisson_fair);
    EXPECT_EQ(take().at(0).back(), "1") << "it queues";
    operations.cancel(7);
    say_held();
    EXPECT_THAT(take(), testing::SizeIs(1)) << "the withdrawal";
    EXPECT_EQ(say(":0\r\n"), "");
    EXPECT_TRUE(answers.empty());
    EXPECT_EQ(operations.active(), 0U);
}

} // namespace
} // namespace holdfast::test
