// Renewals and acquires that reach the server after later ones of the same client.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;

class redis_late_message : public redis_fault {
protected:
    /// Lets the requests that are held back arrive, and waits until the server has run them.
    void let_them_arrive() {
        server.command({"CONFIG", "RESETSTAT"});
        between.release();
        ASSERT_TRUE(eventually([&] { return server.calls_of("evalsha") > 0; }));
    }
    [[nodiscard]] bool one_is_held_back() {
        return eventually([&] { return between.counts().held == 1; });
    }
};

// A renewal.

class redis_late_renewal : public redis_late_message {
protected:
    /// A renewal for 3 s is held back on a connection that ends, extend(60s) succeeds on the next,
    /// and then the first renewal arrives.
    void extend_before_a_late_renewal(lease& held) {
        between.hold_requests({.with = call_of(scripts::beat)});
        ASSERT_TRUE(one_is_held_back());
        between.cut();
        ASSERT_TRUE(eventually([&] {
            std::error_code failure;
            held.extend(60s, failure);
            return !failure;
        }));
        let_them_arrive();
        EXPECT_TRUE(held.valid());
        ASSERT_EQ(look().holders.size(), 1U);
        EXPECT_GT(look().holders[0].remaining, 50s) << "the late renewal has shortened it";
    }
    client here = connect();
    client other = direct();
};

TEST_F(redis_late_renewal, does_not_shorten_a_mutex_that_was_extended_since) { // P1
    auto held = mutex{here, "stock"}.acquire({.lease = 3s});
    extend_before_a_late_renewal(held);
    EXPECT_FALSE((mutex{other, "stock"}.try_acquire()));
}

TEST_F(redis_late_renewal, does_not_shorten_a_mutex_with_waiters) { // P1
    auto held = mutex{here, "stock"}.acquire({.lease = 3s});
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    extend_before_a_late_renewal(held);
    EXPECT_FALSE(waiting.done());
    held.release();
    EXPECT_TRUE(waiting.get().valid());
}

TEST_F(redis_late_renewal, does_not_shorten_a_readers_lease) { // P1
    auto held = shared_mutex{here, "stock"}.acquire_shared({.lease = 3s});
    extend_before_a_late_renewal(held);
    EXPECT_FALSE((shared_mutex{other, "stock"}.try_acquire()));
}

TEST_F(redis_late_renewal, does_not_shorten_a_permit) { // P1
    auto held = counting_semaphore{here, "stock", 1}.acquire(1, {.lease = 3s});
    extend_before_a_late_renewal(held);
    EXPECT_FALSE((counting_semaphore{other, "stock", 1}.try_acquire(1)));
}

TEST_F(redis_late_renewal, is_distinguished_from_an_extend_to_a_shorter_lease) {
    for (const bool shared : {false, true}) {
        auto held = shared ? shared_mutex{here, "stock"}.acquire_shared({.lease = 60s})
                           : shared_mutex{here, "stock"}.acquire({.lease = 60s});
        held.extend(2s);
        EXPECT_LE(look().holders.at(0).remaining, 2s) << shared;
    }
}

// Not the holder's own: the server cannot know whether it is old.
TEST_F(redis_late_renewal, by_an_operator_can_only_lengthen) {
    for (const bool shared : {false, true}) {
        auto held = shared ? shared_mutex{here, "stock"}.acquire_shared({.lease = 60s})
                           : shared_mutex{here, "stock"}.acquire({.lease = 60s});
        EXPECT_TRUE((admin{other}.renew("stock", held.owner(), 1s)));
        EXPECT_GT(look().holders.at(0).remaining, 50s) << shared;
        EXPECT_TRUE((admin{other}.renew("stock", held.owner(), 1h)));
        EXPECT_GT(look().holders.at(0).remaining, 59min) << shared;
        held.extend(5s);
        EXPECT_LE(look().holders.at(0).remaining, 5s) << shared << ": the holder's own goes on";
    }
}

// An acquire.

class redis_repeated_acquire : public redis_late_message {
protected:
    /// Its acquire is held back, the connection breaks, and it acquires again: granted, released.
    template <class Take>
    void take_while_the_first_request_is_late(Take take) {
        between.hold_requests({.with = call_of(scripts::acquire)});
        background held{[&](const std::stop_token&) { return take(); }};
        ASSERT_TRUE(one_is_held_back());
        between.cut();
        EXPECT_EQ(held.get().release(), release_answer::released);
    }
    client here = connect("?timeout=5000"); // for so long the first request counts
    client other = direct();
};

TEST_F(redis_repeated_acquire, takes_nothing_if_another_held_the_lock_since) { // P5
    take_while_the_first_request_is_late([&] { return mutex{here, "stock"}.acquire(); });
    mutex{other, "stock"}.acquire().release();
    mutex{other, "stock"}.acquire().release();
    let_them_arrive();
    EXPECT_FALSE(is_held()) << "by nobody, for a whole lease";
    EXPECT_TRUE((mutex{other, "stock"}.try_acquire()));
}

TEST_F(redis_repeated_acquire, takes_nothing_while_another_waits_for_the_lock) { // P5
    take_while_the_first_request_is_late([&] { return mutex{here, "stock"}.acquire(); });
    auto held = mutex{other, "stock"}.acquire();
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    let_them_arrive();
    EXPECT_EQ(look().waiters.size(), 1U) << "nor does it queue";
    held.release();
    EXPECT_EQ(waiting.get().release(), release_answer::released);
    EXPECT_FALSE(is_held());
}

TEST_F(redis_repeated_acquire, takes_nothing_among_readers) { // P5
    take_while_the_first_request_is_late([&] { return shared_mutex{here, "stock"}.acquire(); });
    auto reader = shared_mutex{other, "stock"}.acquire_shared();
    reader.release();
    let_them_arrive();
    EXPECT_FALSE(is_held());
}

TEST_F(redis_repeated_acquire, leaves_the_short_path_only_while_it_may_be_late) {
    take_while_the_first_request_is_late([&] { return mutex{here, "stock"}.acquire(); });
    EXPECT_EQ(record().substr(0, 4), "hf2I") << "remembers";
    server.command({"DEL", "hf:{stock}:t"}); // as when its time has come
    mutex{other, "stock"}.acquire().release();
    EXPECT_EQ(record().substr(0, 4), "hf2i");
}

// A reset as after an allocation failure on this connection.
TEST_F(redis_repeated_acquire, takes_nothing_when_the_engine_was_reset_since) { // P5
    seam_client first{between.url() + "?timeout=5000"};
    ASSERT_EQ(first.release(first.ticket("other")).status, op_status::not_held)
        << "it is connected";
    const auto ticket = first.ticket("stock");
    between.hold_requests({.with = call_of(scripts::acquire)});
    first.start(seam_client::acquire_op(ticket, {}));
    first.send();
    ASSERT_TRUE(one_is_held_back());
    first.reset();
    ASSERT_TRUE(eventually([&] { return first.acquire(ticket).status == op_status::granted; }));
    ASSERT_EQ(first.release(ticket).status, op_status::released);
    mutex{other, "stock"}.acquire().release();
    mutex{other, "stock"}.acquire().release();
    let_them_arrive();
    EXPECT_FALSE(is_held()) << "by nobody, for a whole lease";
}

TEST_F(redis_repeated_acquire, of_a_ticket_that_was_broken_takes_nothing) {
    seam_client holder{server.url()};
    const auto ticket = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(ticket).status, op_status::granted);
    ASSERT_EQ(holder.break_lock("stock").status, op_status::released);
    EXPECT_EQ(holder.acquire(ticket).status, op_status::busy) << "the operator took it away";
    EXPECT_EQ(holder.acquire(holder.ticket("stock")).status, op_status::granted);
}

} // namespace
} // namespace holdfast::test
