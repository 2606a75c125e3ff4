// How long records live: those of released names expire, those of held or resting ones stay.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;

class redis_record_life : public redis_fault {
protected:
    [[nodiscard]] milliseconds life(const std::string& name = "stock") {
        return milliseconds{server.command({"PTTL", "hf:{" + name + "}"}).number()};
    }
    /// P8: at least a minute, for late requests, and at most two.
    void expect_short(const char* why) {
        EXPECT_GT(life(), 60s) << why;
        EXPECT_LT(life(), 120s) << why;
    }
    client here = direct();
};

TEST_F(redis_record_life, ends_within_two_minutes_of_a_release) { // P8
    mutex stock{here, "stock"};
    stock.acquire().release();
    expect_short("short lease");
    stock.acquire({.lease = 24h}).release();
    expect_short("long lease");
    auto extended = stock.acquire();
    extended.extend(24h);
    extended.release();
    expect_short("extended");
    shared_mutex{here, "stock"}.acquire_shared({.lease = 24h}).release();
    expect_short("reader");
    counting_semaphore{here, "stock", 3}.acquire(2, {.lease = 24h}).release();
    expect_short("permits");
    stock.acquire({.lease = 24h}).release();
    stock.acquire().release();
    expect_short("short after long");
}

TEST_F(redis_record_life, ends_within_two_minutes_of_a_pipelined_release) { // P8
    client hasty{server.url(), {.pipeline_release = true}};
    mutex stock{hasty, "stock"};
    for (int i = 0; i < 20; ++i) { stock.acquire({.lease = i % 2 == 0 ? 24h : 30s}).release(); }
    ASSERT_TRUE(eventually([&] { return !is_held(); }));
    expect_short("the release and the next acquire are one script");
}

TEST_F(redis_record_life, outlasts_every_lease_by_a_minute) { // P1
    for (const milliseconds lease : {1s, 30s, 45s, 60s, 3600s, 86'400s}) {
        auto held = mutex{here, "stock"}.acquire({.lease = lease});
        EXPECT_GT(life(), lease + 59s) << lease.count();
        held.extend(lease);
        EXPECT_GT(life(), lease + 59s) << lease.count() << ": renewed";
        auto reader = shared_mutex{here, "page"}.acquire_shared({.lease = lease});
        EXPECT_GT(life("page"), lease + 59s) << lease.count();
    }
}

// Also holds that follow one another and do not change the expiry.
TEST_F(redis_record_life, outlasts_a_long_lease_that_follows_short_ones_at_once) { // P1
    mutex stock{here, "stock"};
    for (int i = 0; i < 50; ++i) { stock.acquire().release(); }
    const auto held = stock.acquire({.lease = 2h});
    EXPECT_GT(life(), 2h);
}

TEST_F(redis_record_life, outlasts_min_hold_whatever_is_renewed) { // P7
    for (const bool shared : {false, true}) {
        server.flush_all();
        auto held =
            shared ? shared_mutex{here, "stock"}.acquire_shared({.lease = 10s, .min_hold = 96h})
                   : shared_mutex{here, "stock"}.acquire({.lease = 10s, .min_hold = 96h});
        held.extend(20s);
        EXPECT_GT(life(), 95h) << "a renewal has cut it";
        held.release();
        EXPECT_GT(life(), 95h);
    }
}

TEST_F(redis_record_life, outlasts_its_token_when_that_is_ahead_of_the_clock) { // P3
    mutex{here, "stock"}.acquire().release();
    auto ahead = record();
    const auto token = std::stoull(ahead.substr(4, 16)) + 600'000'000; // ten minutes
    ahead.replace(4, 16, std::to_string(token));
    server.command({"SET", "hf:{stock}", ahead, "KEEPTTL"});
    auto held = mutex{here, "stock"}.acquire();
    EXPECT_EQ(held.token(), token + 1);
    EXPECT_GT(life(), 10min);
    held.extend(20s);
    EXPECT_GT(life(), 10min) << "renewed";
    held.release();
    EXPECT_GT(life(), 10min) << "released";
}

TEST_F(redis_record_life, of_many_names_leaves_one_key) { // P8
    constexpr int names = 300;
    for (int i = 0; i < names; ++i) { mutex{here, std::to_string(i)}.acquire().release(); }
    const auto all = keys();
    EXPECT_EQ(all.size(), names + 1U);
    int endless = 0;
    for (const auto& key : all) {
        endless += server.command({"PTTL", key}).number() < 0 ? 1 : 0;
        if (key != "hf:mark") { server.command({"PEXPIRE", key, "1"}); } // two minutes later
    }
    EXPECT_EQ(endless, 1) << "the mark";
    ASSERT_TRUE(eventually([&] { return keys() == std::vector<std::string>{"hf:mark"}; }));
    EXPECT_EQ((mutex{here, "0"}.acquire().release()), release_answer::released);
}

// Tokens of names whose record has expired.

TEST_F(redis_record_life, that_has_ended_leaves_tokens_rising) { // P3
    std::uint64_t last = 0;
    for (int i = 0; i < 100; ++i) {
        const auto token = mutex{here, "stock"}.acquire().token();
        ASSERT_GT(token, last);
        last = token;
        server.command({"DEL", "hf:{stock}"});
    }
    const auto mark = std::stoull(server.command({"GET", "hf:mark"}).string());
    EXPECT_GE(mark, last);
    server.command({"SET", "hf:mark", std::to_string(mark + 3'600'000'000)}); // clock stepped back
    EXPECT_EQ((mutex{here, "stock"}.acquire().token()), mark + 3'600'000'001);
    server.command({"DEL", "hf:{stock}"});
    EXPECT_EQ((shared_mutex{here, "stock"}.acquire_shared().token()), mark + 3'600'000'002);
}

TEST_F(redis_record_life, needs_a_mark_that_is_a_number) {
    server.command({"SET", "hf:mark", "something else"});
    const auto complaint = complaint_of([&] { (void)mutex{here, "stock"}.try_acquire(); });
    EXPECT_EQ(complaint.code, errc::store_foreign) << complaint.text;
    EXPECT_THAT(complaint.text, testing::HasSubstr("hf:mark"));
    EXPECT_TRUE(record().empty()) << "nothing is granted";
}

// Lost data.

TEST_F(redis_record_life, cut_short_by_a_flush_is_noticed_by_holders_at_the_next_grant) { // P2
    const auto held = mutex{here, "stock"}.acquire();
    auto other = direct();
    server.flush_all();
    const stopwatch since;
    const auto next = mutex{other, "page"}.acquire();
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_LT(since.elapsed(), scaled(1s)) << "not at its next third, after ten";
    EXPECT_TRUE(next.valid());
}

TEST_F(redis_record_life, cut_short_by_a_restart_is_noticed_by_holders_when_they_reconnect) { // P2
    const auto held = mutex{here, "stock"}.acquire();
    const stopwatch since;
    server.restart();
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_LT(since.elapsed(), scaled(3s)) << "not at its next third, after ten";
}

// The queue.

TEST_F(redis_record_life, of_a_queue_outlasts_a_stall_of_the_server) { // P6
    seam_client holder{server.url() + "?timeout=20000"};
    seam_client waiters{server.url() + "?timeout=20000"};
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held, {.lease = 60s}).status, op_status::granted);
    std::vector<engine::ticket> line;
    for (int i = 0; i < 3; ++i) {
        line.push_back(waiters.ticket("stock"));
        ASSERT_EQ(waiters.acquire(line.back(), {.queue = engine::queueing::grant}).status,
                  op_status::queued);
    }
    server.pause();
    std::this_thread::sleep_for(3500ms);
    server.resume();
    EXPECT_EQ(holder.release(held).status, op_status::handed_off)
        << "its waiters' reports are unread";
    EXPECT_TRUE(waiters.await(engine::notice::kind::granted, line[0])) << "in their order";
    EXPECT_EQ(waiters.wait_on(line[1]).status, op_status::queued);
    EXPECT_EQ(waiters.wait_on(line[2]).status, op_status::queued);
}

} // namespace
} // namespace holdfast::test
