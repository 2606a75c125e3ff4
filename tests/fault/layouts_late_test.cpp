// P1, P5 in foreign layouts: a request on a connection that its client has ended reaches the server
// after newer ones.

#include "fault/foreign_layouts.hpp"

namespace holdfast::test {
namespace {

class layout_late_request : public redis_fault,
                            public testing::WithParamInterface<foreign_layout_case> {
protected:
    [[nodiscard]] lock_options options(milliseconds lease) const {
        auto out = GetParam().options;
        out.lease = lease;
        return out;
    }
    [[nodiscard]] bool held() { return server.command({"EXISTS", "stock"}).number() == 1; }
    [[nodiscard]] std::int64_t pttl() { return server.command({"PTTL", "stock"}).number(); }
    /// Whether this layout has a release memory: then a late acquire is refused.
    [[nodiscard]] bool remembers() const { return GetParam().name != "plain"; }

    /// A client through the proxy, with its scripts loaded. The not-after of its requests is 4 s.
    [[nodiscard]] client connected() const {
        auto out = connect("?timeout=4000");
        mutex{out, "other", options(10s)}.acquire().release();
        return out;
    }
    [[nodiscard]] bool one_is_held() {
        return eventually([&] { return between.counts().held == 1; });
    }
    /// Lets the request that is held back reach the server; returns when it is done.
    void let_it_arrive() {
        between.release();
        EXPECT_EQ(between.counts().held, 0U);
        // The server executes requests that arrived before a command no later than that command.
        for (int i = 0; i < 2; ++i) { server.command({"PING"}); }
    }
    /// Sends an acquire, holds it back, breaks its connection, and sends it again on the next one.
    [[nodiscard]] lease acquire_while_the_first_request_is_late(client& here, milliseconds term) {
        between.hold_requests({.with = GetParam().acquires});
        background asking{[&](const std::stop_token&) {
            return mutex{here, "stock", options(term)}.acquire();
        }};
        EXPECT_TRUE(one_is_held());
        between.cut();
        return asking.get();
    }
    static void extend(lease& held, milliseconds length) {
        EXPECT_TRUE(eventually([&] {
            std::error_code failure;
            held.extend(length, failure);
            return !failure;
        }));
    }
    /// Not held, or only for a moment.
    void expect_free() {
        if (remembers()) {
            EXPECT_FALSE(held()) << "what comes after its own release is refused";
        } else {
            EXPECT_TRUE(eventually([&] { return !held(); }, 1s + scaled(500ms)))
                << "SET cannot be refused, but the client undoes it";
        }
    }
};

INSTANTIATE_TEST_SUITE_P(layouts, layout_late_request, all_foreign_layouts(), layout_name);

TEST_P(layout_late_request, to_renew_does_not_shorten_a_newer_lease) { // P1
    auto here = connected();
    auto kept = mutex{here, "stock", options(30s)}.acquire();
    between.hold_requests({.with = GetParam().renews});
    background renewing{[&](const std::stop_token&) {
        std::error_code unknown;
        kept.extend(3s, unknown);
    }};
    ASSERT_TRUE(one_is_held());
    between.cut();
    renewing.get();
    extend(kept, 60s);
    ASSERT_GT(pttl(), 50'000);
    let_it_arrive();
    EXPECT_GT(pttl(), 50'000);
    EXPECT_GT(kept.remaining(), 50s);
}

TEST_P(layout_late_request, to_acquire_does_not_shorten_a_newer_lease) { // P1
    auto here = connected();
    const bool by_set = GetParam().name == "plain";
    // Not a SET, but the script, which follows a SET that finds its own value.
    if (by_set) { between.drop_answers({.with = GetParam().acquires}); }
    between.hold_requests({.with = by_set ? call_of(scripts::plain_acquire) : GetParam().acquires});
    background asking{[&](const std::stop_token&) {
        return mutex{here, "stock", options(10s)}.acquire();
    }};
    ASSERT_TRUE(one_is_held());
    between.cut();
    auto kept = asking.get();
    extend(kept, 60s);
    ASSERT_GT(pttl(), 50'000);
    let_it_arrive();
    EXPECT_GT(pttl(), 50'000);
    EXPECT_GT(kept.remaining(), 50s);
}

TEST_P(layout_late_request,
       to_acquire_what_was_released_since_takes_nothing) { // P5
    auto here = connected();
    auto there = direct();
    auto kept = acquire_while_the_first_request_is_late(here, 20s);
    EXPECT_EQ(kept.release(), release_answer::released);
    mutex{there, "stock", options(10s)}.acquire().release();
    let_it_arrive();
    expect_free();
}

TEST_P(layout_late_request,
       to_acquire_for_a_caller_who_left_takes_nothing) { // P5
    auto here = connected();
    between.hold_requests({.with = GetParam().acquires});
    auto waiting = wait_for(here, options(20s));
    ASSERT_TRUE(one_is_held());
    between.refuse_new(); // or it would ask again
    between.cut();
    waiting.stop();
    EXPECT_EQ(complaint_of([&] { (void)waiting.get(); }).code, errc::cancelled);
    server.command({"CONFIG", "RESETSTAT"});
    between.serve_new();
    ASSERT_TRUE(eventually([&] { return server.calls_of("evalsha") > 0; })) << "withdrawn";
    let_it_arrive();
    expect_free();
}

TEST_P(layout_late_request,
       to_acquire_that_was_cancelled_takes_nothing) { // P5, through the seam
    seam_client here{between.url() + "?timeout=4000"};
    auto ticket = here.ticket("stock");
    ticket.format = {GetParam().options.layout, GetParam().options.fencing};
    ASSERT_EQ(here.release(ticket).status, engine::op_status::not_held); // connects
    between.hold_requests({.with = GetParam().acquires});
    const auto id = here.start(seam_client::acquire_op(ticket, {}));
    here.drive_for(20ms);
    ASSERT_TRUE(one_is_held());
    here.cancel(id);
    between.cut();
    server.command({"CONFIG", "RESETSTAT"});
    ASSERT_TRUE(eventually([&] {
        here.drive_for(20ms);
        return server.calls_of("evalsha") > 0;
    })) << "withdrawn";
    let_it_arrive();
    here.drive_for(1s);
    EXPECT_FALSE(held());
}

TEST_P(layout_late_request, is_why_a_shorter_lease_is_shorter_on_the_client_only) {
    auto here = direct();
    auto kept = mutex{here, "stock", options(30s)}.acquire();
    kept.extend(3s);
    EXPECT_LE(kept.remaining(), 3s);
    EXPECT_GT(pttl(), 20'000) << "it may be an old message: the server does not shorten anything";
    EXPECT_EQ(kept.release(), release_answer::released);
    EXPECT_FALSE(held());
}

// A reset as after an allocation failure on this connection.
TEST_P(layout_late_request, to_acquire_takes_nothing_when_the_engine_was_reset_since) { // P5
    seam_client first{between.url() + "?timeout=4000"};
    auto other = first.ticket("other");
    auto ticket = first.ticket("stock");
    other.format = ticket.format = {GetParam().options.layout, GetParam().options.fencing};
    ASSERT_EQ(first.acquire(other).status, engine::op_status::granted) << "it is connected";
    between.hold_requests({.with = GetParam().acquires});
    first.start(seam_client::acquire_op(ticket, {}));
    first.send();
    ASSERT_TRUE(one_is_held());
    first.reset();
    ASSERT_TRUE(
        eventually([&] { return first.acquire(ticket).status == engine::op_status::granted; }));
    ASSERT_EQ(first.release(ticket).status, engine::op_status::released);
    let_it_arrive();
    if (!remembers()) { first.drive_for(1s); } // a client would be driven by its keeper
    expect_free();
}

} // namespace
} // namespace holdfast::test
