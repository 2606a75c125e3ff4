// layout::redisson: the keys and messages it writes, and how it works together with a Redisson
// client. The test acts as that client by raw commands; interop/ has the real one.

#include "fault/redis_fixture.hpp"
#include "support/monitor.hpp"

#include <thread>

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;

const std::string channel = "redisson_lock__channel:{stock}";
const std::string java = "0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab:57"; ///< an owner as Redisson's

class redisson_layout : public redis_fault {
protected:
    [[nodiscard]] std::string hash(const std::string& key = "stock") {
        return server.command({"HGETALL", key}).text();
    }
    [[nodiscard]] std::int64_t pttl(const std::string& key = "stock") {
        return server.command({"PTTL", key}).number();
    }
    void take_as_java(milliseconds ttl, int count = 1) {
        server.command({"HSET", "stock", java, std::to_string(count)});
        server.command({"PEXPIRE", "stock", std::to_string(ttl.count())});
    }
    /// One unlock of its reentrant lock.
    void release_as_java() {
        if (server.command({"HINCRBY", "stock", java, "-1"}).number() > 0) { return; }
        server.command({"DEL", "stock"});
        server.command({"PUBLISH", channel, "0"});
    }
    /// Acts as its read-write lock: a key without `mode` counts as free, otherwise the mode
    /// applies.
    [[nodiscard]] bool take_as_javas_read_write_lock(const std::string& mode) {
        const std::string script =
            "local mode = redis.call('HGET', KEYS[1], 'mode') "
            "if mode and (mode ~= 'read' or mode ~= ARGV[1]) then return 0 end "
            "redis.call('HSET', KEYS[1], 'mode', ARGV[1]) "
            "redis.call('HINCRBY', KEYS[1], ARGV[2], 1) "
            "redis.call('PEXPIRE', KEYS[1], 30000) return 1";
        const auto owner = mode == "write" ? java + ":write" : java;
        return server.command({"EVAL", script, "1", "stock", mode, owner}).number() == 1;
    }
    [[nodiscard]] std::int64_t listeners() {
        return server.command({"PUBSUB", "NUMSUB", channel}).items().at(1).number();
    }

    client here{server.url()};
    client there{server.url()};
    const lock_options as_redisson = compat::redisson();
    const lock_options fenced = compat::redisson_fenced();
};

TEST_F(redisson_layout, is_a_hash_of_owner_and_count) {
    auto held = mutex{here, "stock", {.lease = 10s, .layout = layout::redisson}}.acquire();
    EXPECT_EQ(hash(), "[" + held.owner() + ", 1, mode, hf]");
    EXPECT_THAT(held.owner(), MatchesRegex("[0-9a-f-]{36}:[0-9]+"));
    EXPECT_GT(pttl(), 8'000);
    EXPECT_LE(pttl(), 10'000);
    EXPECT_THAT(keys(), ElementsAre("stock"));
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(eventually([&] { return keys().empty(); })) << "the latch is removed, too";
}

TEST_F(redisson_layout, has_redissons_watchdog_by_default) {
    const auto held = mutex{here, "stock", as_redisson}.acquire();
    EXPECT_GT(pttl(), 29'000);
    EXPECT_LE(pttl(), 30'000);
}

TEST_F(redisson_layout, is_renewed_for_as_long_as_it_is_held) {
    const auto held =
        mutex{here, "stock", {.lease = scaled(300ms), .layout = layout::redisson}}.acquire();
    EXPECT_TRUE(throughout(scaled(1s), [&] {
        return held.valid() && server.command({"EXISTS", "stock"}).number() == 1;
    }));
}

TEST_F(redisson_layout, is_refused_while_java_holds_it_and_not_changed) {
    take_as_java(20s, 2);
    EXPECT_FALSE((mutex{here, "stock", as_redisson}.try_acquire()));
    EXPECT_FALSE((mutex{here, "stock", as_redisson}.try_acquire_for(300ms)));
    EXPECT_EQ(hash(), "[" + java + ", 2]");
    EXPECT_GT(pttl(), 18'000);
    EXPECT_THAT(keys(), ElementsAre("stock"));
}

TEST_F(redisson_layout, waits_until_java_has_unlocked_as_often_as_it_locked) {
    take_as_java(30s, 2);
    auto waiting = wait_for(here, as_redisson);
    ASSERT_TRUE(eventually([&] { return listeners() == 1; }));
    release_as_java();
    EXPECT_FALSE(waiting.done_within(100ms)) << "it is still held, once";
    release_as_java();
    EXPECT_EQ(hash(), "[" + waiting.get().owner() + ", 1, mode, hf]");
}

TEST_F(redisson_layout, wakes_a_waiter_at_once_on_javas_message) {
    const auto woken = quickest_of(5, [&] {
        take_as_java(30s);
        auto waiting = wait_for(here, as_redisson);
        EXPECT_TRUE(eventually([&] { return listeners() == 1; }));
        std::this_thread::sleep_for(50ms);
        EXPECT_FALSE(waiting.done());
        const stopwatch since;
        release_as_java();
        auto got = waiting.get();
        const auto took = since.elapsed();
        got.release();
        return took;
    });
    EXPECT_LT(woken, scaled(20ms));
}

TEST_F(redisson_layout, publishes_javas_message_when_it_is_released) {
    redis_raw waiter{server.port()};
    (void)waiter.ask({"SUBSCRIBE", channel});
    mutex{here, "stock", as_redisson}.acquire().release();
    const auto heard = waiter.read();
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->text(), "[message, " + channel + ", 0]");
    EXPECT_FALSE(waiter.read(100ms)) << "once";
}

TEST_F(redisson_layout, uses_sharded_messages_both_ways_if_configured) {
    const client sharded{server.url() + "?layout=redisson&sharded=yes"};
    redis_raw waiter{server.port()};
    (void)waiter.ask({"SSUBSCRIBE", channel});
    mutex{sharded, "stock"}.acquire().release();
    const auto heard = waiter.read();
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->text(), "[smessage, " + channel + ", 0]");

    const auto woken = quickest_of(5, [&] {
        take_as_java(30s);
        background waiting{[&](std::stop_token stop) {
            return mutex{sharded, "stock"}.acquire({.stop = std::move(stop)});
        }};
        EXPECT_TRUE(eventually([&] {
            return server.command({"PUBSUB", "SHARDNUMSUB", channel}).items().at(1).number() == 2;
        }));
        std::this_thread::sleep_for(50ms);
        const stopwatch since;
        server.command({"DEL", "stock"});
        server.command({"SPUBLISH", channel, "0"});
        auto got = waiting.get();
        const auto took = since.elapsed();
        got.release();
        return took;
    });
    EXPECT_LT(woken, scaled(20ms));
}

TEST_F(redisson_layout, a_lost_message_delays_by_less_than_a_second) { // P7
    take_as_java(30s);
    auto waiting = wait_for(here, as_redisson);
    ASSERT_TRUE(eventually([&] { return listeners() == 1; }));
    server.command({"DEL", "stock"}); // without a word
    EXPECT_TRUE(waiting.done_within(scaled(1s)));
    (void)waiting.get();
}

TEST_F(redisson_layout, is_granted_when_javas_lease_ends) {
    take_as_java(600ms);
    const stopwatch since;
    const auto held = mutex{here, "stock", as_redisson}.acquire();
    EXPECT_GE(since.elapsed(), 590ms);
    EXPECT_LE(since.elapsed(), 600ms + scaled(150ms));
}

TEST_F(redisson_layout, cannot_be_released_or_renewed_once_java_holds_it) {
    const auto watch = std::make_shared<recording_observer>();
    const client watched{server.url(), {.observer = watch}};
    auto held = mutex{watched, "stock", {.lease = 600ms, .layout = layout::redisson}}.acquire();
    server.command({"DEL", "stock"});
    take_as_java(30s);
    ASSERT_TRUE(watch->await(event::kind::lost));
    EXPECT_EQ(held.release(), release_answer::already_lost);
    EXPECT_EQ(hash(), "[" + java + ", 1]");
    EXPECT_GT(pttl(), 25'000);
    EXPECT_FALSE((admin{here, layout::redisson}.release("stock", here.id() + ":1")));
}

TEST_F(redisson_layout, excludes_javas_read_write_lock) { // P1
    auto held = mutex{here, "stock", as_redisson}.acquire();
    EXPECT_FALSE(take_as_javas_read_write_lock("read"));
    EXPECT_FALSE(take_as_javas_read_write_lock("write"));
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(take_as_javas_read_write_lock("write"));
}

TEST_F(redisson_layout, is_excluded_by_javas_read_write_lock) { // P1
    for (const std::string mode : {"read", "write"}) {
        ASSERT_TRUE(take_as_javas_read_write_lock(mode));
        const auto before = hash();
        EXPECT_FALSE((mutex{here, "stock", as_redisson}.try_acquire()));
        EXPECT_EQ(hash(), before);
        server.command({"DEL", "stock"});
    }
}

TEST_F(redisson_layout, release_removes_only_its_own_field) { // P4
    auto held = mutex{here, "stock", as_redisson}.acquire();
    server.command({"HDEL", "stock", "mode"}); // as the first version of this layout had it
    ASSERT_TRUE(take_as_javas_read_write_lock("read"));
    redis_raw waiter{server.port()};
    (void)waiter.ask({"SUBSCRIBE", channel});
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_EQ(hash(), "[mode, read, " + java + ", 1]");
    EXPECT_GT(pttl(), 25'000);
    EXPECT_FALSE(waiter.read(50ms)) << "it is not free";
}

TEST_F(redisson_layout, does_not_show_the_mode_field_as_a_holder) {
    const admin by{there, layout::redisson};
    {
        const auto held = mutex{here, "stock", as_redisson}.acquire();
        const auto seen = by.inspect("stock");
        ASSERT_TRUE(seen);
        ASSERT_EQ(seen->holders.size(), 1U) << "`mode` is nobody";
        EXPECT_EQ(seen->holders.at(0).owner, held.owner());
    }
    ASSERT_TRUE(take_as_javas_read_write_lock("write"));
    EXPECT_EQ(by.inspect("stock")->holders.size(), 1U);
    EXPECT_EQ(by.inspect("stock")->kind, primitive::shared_mutex);
    EXPECT_EQ(by.inspect("stock")->holders.at(0).owner, java) << "a writer";
}

TEST_F(redisson_layout, counts_re_entry_on_the_client) {
    recursive_mutex lock{here, "stock", as_redisson};
    lock.lock();
    lock.lock();
    EXPECT_EQ(lock.count(), 2U);
    EXPECT_THAT(hash(), HasSubstr(", 1, mode")) << "counted on this side";
    lock.unlock();
    EXPECT_FALSE((mutex{there, "stock", as_redisson}.try_acquire()));
    lock.unlock();
    EXPECT_TRUE((mutex{there, "stock", as_redisson}.try_acquire()));
}

TEST_F(redisson_layout, with_fencing_has_the_tokens_of_a_fenced_lock) {
    server.command({"SET", "redisson_lock_token:{stock}", "41"}); // Java was here before
    auto held = mutex{here, "stock", fenced}.acquire();
    EXPECT_EQ(held.token(), 42U);
    held.release();
    held = mutex{there, "stock", fenced}.acquire();
    EXPECT_EQ(held.token(), 43U);
    EXPECT_EQ(server.command({"GET", "redisson_lock_token:{stock}"}).string(), "43");
    EXPECT_EQ(pttl("redisson_lock_token:{stock}"), -1) << "as Redisson keeps it";
}

TEST_F(redisson_layout, without_fencing_has_no_token_and_changes_none) {
    const auto held = mutex{here, "stock", as_redisson}.acquire();
    EXPECT_EQ(complaint_of([&] { (void)held.token(); }).code, errc::unsupported);
    EXPECT_THAT(keys(), ElementsAre("stock"));
}

TEST_F(redisson_layout, a_break_is_a_forced_unlock_that_wakes_java_and_notifies_the_holder) {
    const auto watch = std::make_shared<recording_observer>();
    const client watched{server.url(), {.observer = watch}};
    const auto held = mutex{watched, "stock", as_redisson}.acquire();
    redis_raw waiter{server.port()};
    (void)waiter.ask({"SUBSCRIBE", channel});
    const admin by{there, layout::redisson};
    EXPECT_EQ(by.inspect("stock")->holders.at(0).owner, held.owner());
    const stopwatch since;
    EXPECT_TRUE(by.break_lock("stock"));
    ASSERT_TRUE(watch->await(event::kind::lost));
    EXPECT_LT(since.elapsed(), scaled(2s));
    EXPECT_EQ(waiter.read()->text(), "[message, " + channel + ", 0]");
    EXPECT_FALSE(by.break_lock("stock")) << "nobody held it";
    EXPECT_FALSE(waiter.read(50ms)) << "nothing was deleted, so nothing is said";
    take_as_java(10s, 3);
    const auto seen = by.inspect("stock");
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->holders.at(0).owner, java);
    EXPECT_EQ(seen->holders.at(0).permits, 3U) << "its count";
    EXPECT_TRUE(by.break_lock("stock")) << "also Java's";
    EXPECT_TRUE(eventually([&] { return keys().empty(); }));
}

TEST_F(redisson_layout, names_with_a_hash_tag_keep_it) {
    const std::string name = "shop{7}:stock";
    redis_raw waiter{server.port()};
    (void)waiter.ask({"SUBSCRIBE", "redisson_lock__channel:" + name});
    auto held = mutex{here, name, fenced}.acquire();
    EXPECT_THAT(keys(), ElementsAre("redisson_lock_token:" + name, name));
    held.release();
    EXPECT_TRUE(waiter.read());
}

TEST_F(redisson_layout, a_release_keeps_its_latch_until_it_is_answered) {
    const monitor before{server};
    mutex{here, "stock", as_redisson}.acquire().release();
    monitor seen{server};
    mutex{here, "stock", as_redisson}.acquire().release();
    ASSERT_TRUE(eventually([&] { return keys().empty(); }));
    EXPECT_THAT(seen.commands(),
                Contains(MatchesRegex(".DEL. .redisson_unlock_latch:\\{stock\\}:[0-9a-f]{32}.")));
}

TEST_F(redisson_layout, unsupported_options_are_errors_that_name_them) {
    const auto refuses = [](const char* word, auto action) {
        const auto complaint = complaint_of(action);
        EXPECT_EQ(complaint.code, errc::unsupported) << word;
        EXPECT_THAT(complaint.text, AllOf(HasSubstr(word), HasSubstr("layout redisson"))) << word;
    };
    refuses("min_hold", [&] {
        (void)mutex{here, "stock", {.min_hold = 1s, .layout = layout::redisson}}.try_acquire();
    });
    refuses("note", [&] {
        (void)mutex{here, "stock", {.note = "why", .layout = layout::redisson}}.try_acquire();
    });
    refuses("fencing", [&] { (void)counting_semaphore{here, "stock", 3, fenced}.try_acquire(1); });
    refuses("for semaphores; leave out fencing", [&] {
        (void)counting_semaphore{here, "stock", 3, compat::redisson_fenced()}.try_acquire(1);
    });
    refuses("list", [&] { (void)admin{here, layout::redisson}.list(); });
    EXPECT_TRUE(keys().empty());
}

// They advised to set an option that then is refused, and denied the latches.
TEST_F(redisson_layout, says_what_to_use_instead_of_what_it_does_not_have) {
    const auto permit = counting_semaphore{here, "slots", 3, compat::redisson()}.acquire();
    EXPECT_THAT(complaint_of([&] { (void)permit.token(); }).text,
                AllOf(HasSubstr("for semaphores"), Not(HasSubstr("set"))));
    const auto fair = mutex{here, "queue", compat::redisson_fair()}.acquire();
    EXPECT_THAT(complaint_of([&] { (void)fair.token(); }).text,
                HasSubstr("use layout redisson with fencing"));
    const auto usual = mutex{here, "stock", compat::redisson()}.acquire();
    EXPECT_THAT(complaint_of([&] { (void)usual.token(); }).text,
                HasSubstr("without lock_options::fencing"));
    const client by_url{server.url() + "?layout=redisson"};
    EXPECT_THAT(complaint_of([&] {
                    const barrier none{by_url, "round", 2};
                }).text,
                AllOf(HasSubstr("no barriers"), Not(HasSubstr("latch"))));
    const client fair_by_url{server.url() + "?layout=redisson_fair"};
    EXPECT_THAT(complaint_of([&] {
                    const latch none{fair_by_url, "start", 2};
                }).text,
                HasSubstr("no latches"));
    EXPECT_THAT(complaint_of([&] {
                    (void)shared_mutex{here, "prices", compat::redisson_fair()}.try_acquire();
                }).text,
                HasSubstr("mutexes only; use"));
}

} // namespace
} // namespace holdfast::test
