// A connection that is found broken when it is written to, not when it is read.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

class redis_broken_write : public redis_fault {
protected:
    /// Ends the connection, and waits until the client's kernel knows.
    void cut() {
        between.cut();
        std::this_thread::sleep_for(20ms);
    }
};

TEST_F(redis_broken_write, is_noticed_at_once_and_recovered_from) {
    auto here = connect();
    (void)here.ping();
    for (int i = 0; i < 3; ++i) {
        cut();
        const stopwatch watch;
        mutex{here, "stock"}.acquire().release();
        EXPECT_LT(watch.elapsed(), scaled(500ms)) << "not after a time-out";
    }
}

TEST_F(redis_broken_write, never_delivers_a_reply_to_the_wrong_request) { // P1, P5
    seam_client here{between.url()};
    ASSERT_EQ(here.acquire(here.ticket("free")).status, engine::op_status::granted);
    cut();
    here.drive_for(200ms); // a second connection: whatever the first try left is there
    for (int i = 0; i < 3; ++i) {
        auto other = direct();
        const auto held = mutex{other, "held"}.acquire();
        cut();
        const auto asked = here.start(seam_client::acquire_op(here.ticket("held"), {}));
        here.send(); // finds out that it cannot
        const auto next =
            here.start(seam_client::acquire_op(here.ticket("free-" + std::to_string(i)), {}));
        ASSERT_TRUE(eventually([&] {
            here.drive_for(1ms);
            return here.answer_to(asked) && here.answer_to(next);
        }));
        EXPECT_NE(here.answer_to(asked)->status, engine::op_status::granted) << "another holds it";
        EXPECT_EQ(here.times_answered(asked), 1U);
        here.drive_for(100ms);
    }
}

} // namespace
} // namespace holdfast::test
