// A deferred release is sent together with the next operation, or by itself after a moment.

#include "fault/redis_fixture.hpp"

#include <thread>

namespace holdfast::test {
namespace {

class redis_deferred_release : public redis_fault {
protected:
    /// Takes the lock, and submits its release.
    engine::op_id release(bool can_wait) {
        const auto ticket = mine.ticket("stock");
        EXPECT_EQ(mine.acquire(ticket).status, engine::op_status::granted);
        server.command({"CONFIG", "RESETSTAT"});
        const auto id = mine.start(engine::release_op{ticket, false, can_wait});
        mine.send();
        return id;
    }
    [[nodiscard]] std::int64_t scripts_run() { return server.calls_of("evalsha"); }

    seam_client mine{server.url()};
};

TEST_F(redis_deferred_release, is_not_sent_by_itself_at_first) {
    bool unsent = false;
    for (int tries = 0; tries < 50 && !unsent; ++tries) { // a busy machine may let its moment pass
        server.flush_all();
        release(true);
        std::this_thread::sleep_for(20ms);
        unsent = scripts_run() == 0; // nobody has driven the engine since
    }
    EXPECT_TRUE(unsent);
}

TEST_F(redis_deferred_release, that_must_not_wait_is_sent_at_once) {
    release(false);
    EXPECT_TRUE(eventually([&] { return scripts_run() == 1; }));
}

TEST_F(redis_deferred_release, is_sent_before_the_next_operation) {
    const auto id = release(true);
    EXPECT_EQ(mine.acquire(mine.ticket("stock")).status, engine::op_status::granted);
    EXPECT_EQ(scripts_run(), 2);
    ASSERT_TRUE(mine.answer_to(id));
    EXPECT_EQ(mine.answer_to(id)->status, engine::op_status::released);
}

TEST_F(redis_deferred_release, is_sent_when_its_deferral_ends) {
    const auto id = release(true);
    std::this_thread::sleep_for(5ms);
    mine.send();
    EXPECT_TRUE(eventually([&] { return scripts_run() == 1; }));
    mine.drive_for(20ms);
    EXPECT_TRUE(mine.answer_to(id));
}

TEST_F(redis_deferred_release, is_sent_again_if_the_connection_ends_before_it) {
    const auto watch = std::make_shared<recording_observer>();
    for (int i = 0; i < 4; ++i) {
        auto here = connect({}, {.pipeline_release = true, .observer = watch});
        mutex stock{here, "stock"};
        stock.lock();
        stock.unlock();
        between.cut();
        ASSERT_TRUE(eventually([&] { return !is_held(); }, 3s)) << i;
        // If it had been sent, and only the answer was lost: who goes before the next tells so.
        std::this_thread::sleep_for(scaled(200ms));
    }
    for (const auto& told : watch->all()) { ADD_FAILURE() << to_string(told.type) << told.detail; }
}

TEST_F(redis_deferred_release, of_an_idle_client_takes_a_few_milliseconds) { // P7
    client here{server.url(), {.pipeline_release = true}};
    mutex stock{here, "stock"};
    const auto took = quickest_of(10, [&] {
        for (int i = 0; i < 200; ++i) { // until the keeper expects nothing else
            stock.lock();
            stock.unlock();
        }
        const stopwatch since;
        EXPECT_TRUE(eventually([&] { return !is_held(); }));
        return since.elapsed();
    });
    EXPECT_LT(took, scaled(20ms));
}

} // namespace
} // namespace holdfast::test
