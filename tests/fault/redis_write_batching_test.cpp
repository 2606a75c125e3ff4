// Requests that are submitted while replies are pending are batched, but not for longer than it
// pays.

#include "fault/redis_fixture.hpp"

#include <thread>

namespace holdfast::test {
namespace {

class redis_write_batching : public redis_fault {
protected:
    /// Submits this many operations, each by itself. They are sent, or held back.
    void ask(int count) {
        for (int i = 0; i < count; ++i) {
            asked_.push_back(mine.start(seam_client::acquire_op(mine.ticket(name()), {})));
            mine.send();
        }
    }
    void await_answers() {
        for (const auto id : asked_) {
            ASSERT_TRUE(eventually([&] {
                mine.drive_for(1ms);
                return mine.answer_to(id).has_value();
            }));
        }
        asked_.clear();
        server.command({"CONFIG", "RESETSTAT"});
    }
    /// The engine sends eight at once, and receives all replies.
    void see_eight_at_once() {
        EXPECT_EQ(mine.acquire(mine.ticket(name())).status, engine::op_status::granted);
        ask(8);
        await_answers();
    }
    /// Four are in flight and a thread reads: further requests are held back.
    void gather(int count) {
        ask(4);
        ASSERT_TRUE(mine.begin_to_read());
        ask(count);
        EXPECT_TRUE(only_arrive(4));
    }
    [[nodiscard]] bool arrive(int count) {
        return eventually([&] { return server.calls_of("evalsha") == count; });
    }
    [[nodiscard]] bool only_arrive(int count) {
        std::this_thread::sleep_for(20ms);
        return server.calls_of("evalsha") == count;
    }

    seam_client mine{server.url()};

private:
    std::string name() { return "lock " + std::to_string(++names_); }

    int names_ = 0;
    std::vector<engine::op_id> asked_;
};

TEST_F(redis_write_batching, holds_writes_while_other_threads_may_still_send) {
    see_eight_at_once();
    gather(3);
    mine.end_reading();
    EXPECT_TRUE(arrive(7)) << "whoever has read sends them";
    await_answers();
}

TEST_F(redis_write_batching, ends_when_all_threads_have_sent) {
    see_eight_at_once();
    gather(3);
    ask(1);
    EXPECT_TRUE(arrive(8)) << "nobody had to read for it";
    mine.end_reading();
    await_answers();
}

TEST_F(redis_write_batching, adapts_when_fewer_threads_send) {
    see_eight_at_once();
    for (int times = 0; times < 2; ++times) {
        gather(2);
        mine.end_reading();
        await_answers();
    }
    ask(4);
    ASSERT_TRUE(mine.begin_to_read());
    ask(2);
    EXPECT_TRUE(arrive(6));
    mine.end_reading();
    await_answers();
}

} // namespace
} // namespace holdfast::test
