// A shared_mutex in layout::redisson: the keys and messages of Redisson's read-write lock. The test
// acts as Redisson by raw commands; interop/ has the real one.

// compiled alone: other files of the folder have constants of the same names

#include "fault/redis_fixture.hpp"

#include <thread>

namespace holdfast::test {
namespace {

using testing::ElementsAre;

const std::string channel = "redisson_rwlock:{stock}";
const std::string java = "0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab:57"; ///< an owner as Redisson's

class redisson_rw : public redis_fault {
protected:
    [[nodiscard]] std::string hash() { return server.command({"HGETALL", "stock"}).text(); }
    [[nodiscard]] std::int64_t pttl(const std::string& key = "stock") {
        return server.command({"PTTL", key}).number();
    }
    [[nodiscard]] static std::string reader_key(const std::string& owner, int index = 1) {
        return "{stock}:" + owner + ":rwlock_timeout:" + std::to_string(index);
    }
    /// One more reader, with `count` holds.
    void read_as_java(milliseconds ttl, int count = 1) {
        const auto ms = std::to_string(ttl.count());
        server.command({"HSET", "stock", "mode", "read", java, std::to_string(count)});
        for (int i = 1; i <= count; ++i) {
            server.command({"SET", reader_key(java, i), "1", "PX", ms});
        }
        if (pttl() < ttl.count()) { server.command({"PEXPIRE", "stock", ms}); }
    }
    void write_as_java(milliseconds ttl) {
        server.command({"HSET", "stock", "mode", "write", java + ":write", "1"});
        server.command({"PEXPIRE", "stock", std::to_string(ttl.count())});
    }

    client here{server.url() + "?layout=redisson"};
    client there{server.url() + "?layout=redisson"};
    shared_mutex stock{here, "stock"};
    shared_mutex other{there, "stock"};
};

TEST_F(redisson_rw, a_writer_is_a_field_of_the_hash) {
    auto held = stock.acquire({.lease = 10s});
    EXPECT_EQ(hash(), "[mode, write, " + held.owner() + ":write, 1]");
    EXPECT_GT(pttl(), 8'000);
    EXPECT_LE(pttl(), 10'000);
    EXPECT_THAT(keys(), ElementsAre("stock"));
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(eventually([&] { return keys().empty(); }));
}

TEST_F(redisson_rw, a_reader_is_a_field_and_a_key_with_its_lease) {
    auto held = stock.acquire_shared({.lease = 10s});
    EXPECT_EQ(hash(), "[mode, read, " + held.owner() + ", 1]");
    EXPECT_THAT(keys(), ElementsAre("stock", reader_key(held.owner())));
    auto longer = other.acquire_shared({.lease = 20s});
    EXPECT_GT(pttl(), 18'000) << "as long as the longest lease";
    EXPECT_LE(pttl(reader_key(held.owner())), 10'000);
    EXPECT_EQ(longer.release(), release_answer::released);
    EXPECT_LE(pttl(), 10'000) << "of those that are left";
    EXPECT_GT(pttl(), 8'000);
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(eventually([&] { return keys().empty(); }));
}

TEST_F(redisson_rw, a_reader_with_a_short_lease_does_not_shorten_that_of_java) {
    read_as_java(30s);
    auto held = stock.acquire_shared({.lease = 1s, .renew = false});
    EXPECT_GT(pttl(), 25'000);
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_GT(pttl(), 25'000);
    EXPECT_EQ(hash(), "[mode, read, " + java + ", 1]");
}

TEST_F(redisson_rw, is_kept_out_by_java) { // P1
    read_as_java(30s);
    EXPECT_FALSE(stock.try_acquire());
    EXPECT_TRUE(stock.try_acquire_shared());
    server.command({"DEL", "stock"});
    write_as_java(30s);
    EXPECT_FALSE(stock.try_acquire());
    EXPECT_FALSE(stock.try_acquire_shared());
    EXPECT_EQ(hash(), "[mode, write, " + java + ":write, 1]");
}

TEST_F(redisson_rw, is_kept_out_by_the_usual_lock_which_redisson_takes_for_free) { // P1
    server.command({"HSET", "stock", java, "1"});
    server.command({"PEXPIRE", "stock", "30000"});
    EXPECT_FALSE(stock.try_acquire());
    EXPECT_FALSE(stock.try_acquire_shared());
    server.command({"DEL", "stock"});
    const auto ours = mutex{there, "stock"}.acquire();
    EXPECT_FALSE(stock.try_acquire());
    EXPECT_FALSE(stock.try_acquire_shared());
}

TEST_F(redisson_rw, a_last_reader_publishes_0_and_a_writer_1) {
    redis_raw waiter{server.port()};
    (void)waiter.ask({"SUBSCRIBE", channel});
    auto held = stock.acquire_shared();
    auto second = other.acquire_shared();
    held.release();
    EXPECT_FALSE(waiter.read(100ms)) << "it is not free";
    second.release();
    EXPECT_EQ(waiter.read()->text(), "[message, " + channel + ", 0]");
    stock.acquire().release();
    EXPECT_EQ(waiter.read()->text(), "[message, " + channel + ", 1]");
    EXPECT_FALSE(waiter.read(100ms)) << "once";
}

TEST_F(redisson_rw, javas_message_wakes_all_readers_at_once) {
    write_as_java(30s);
    const auto reading = [&](shared_mutex& lock) {
        return background{
            [&lock](std::stop_token stop) { return lock.acquire_shared({.stop = stop}).valid(); }};
    };
    auto first = reading(stock);
    auto second = reading(stock);
    auto third = reading(other);
    ASSERT_TRUE(eventually([&] {
        return server.command({"PUBSUB", "NUMSUB", channel}).items().at(1).number() == 2;
    }));
    std::this_thread::sleep_for(50ms);
    server.command({"DEL", "stock"});
    const stopwatch since;
    server.command({"PUBLISH", channel, "1"});
    EXPECT_TRUE(first.get() && second.get() && third.get());
    EXPECT_LT(since.elapsed(), scaled(150ms)) << "sooner than they would look again";
}

TEST_F(redisson_rw, a_reader_whose_lease_has_ended_keeps_no_writer_out) { // P7
    auto held = stock.acquire_shared({.lease = 400ms, .renew = false});
    read_as_java(1500ms);
    std::this_thread::sleep_for(600ms);
    ASSERT_EQ(admin{there}.inspect("stock")->holders.size(), 1U) << "only Java's is left";
    EXPECT_EQ(held.release(), release_answer::already_lost);
    const stopwatch since;
    auto next = other.acquire();
    EXPECT_LT(since.elapsed(), 1500ms + scaled(300ms));
    EXPECT_EQ(next.release(), release_answer::released);
}

TEST_F(redisson_rw, counts_the_holds_of_a_java_reader_when_the_last_of_ours_leaves) {
    read_as_java(20s, 3);
    server.command({"PEXPIRE", reader_key(java, 2), "25000"});
    stock.acquire_shared({.lease = 60s}).release();
    EXPECT_GT(pttl(), 22'000) << "its longest one";
    EXPECT_LE(pttl(), 25'000);
}

TEST_F(redisson_rw, a_writer_that_leaves_a_reader_behind_wakes_the_other_readers) {
    auto held = stock.acquire();
    server.command({"HSET", "stock", java, "1"}); // as a writer of Redisson's can
    server.command({"SET", reader_key(java), "1", "PX", "5000"});
    redis_raw waiter{server.port()};
    (void)waiter.ask({"SUBSCRIBE", channel});
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_EQ(waiter.read()->text(), "[message, " + channel + ", 1]");
    EXPECT_EQ(hash(), "[mode, read, " + java + ", 1]");
    EXPECT_LE(pttl(), 5'000);
}

TEST_F(redisson_rw, is_renewed_for_as_long_as_it_is_held) { // P2
    auto reading = stock.acquire_shared({.lease = scaled(300ms)});
    EXPECT_TRUE(throughout(scaled(1s), [&] { return reading.valid() && !other.try_acquire(); }));
    reading.release();
    const auto writing = stock.acquire({.lease = scaled(300ms)});
    EXPECT_TRUE(
        throughout(scaled(1s), [&] { return writing.valid() && !other.try_acquire_shared(); }));
}

TEST_F(redisson_rw, is_lost_when_the_hash_or_the_readers_key_is_gone) { // P2
    const auto watch = std::make_shared<recording_observer>();
    const client watched{server.url() + "?layout=redisson", {.observer = watch}};
    auto held = shared_mutex{watched, "stock"}.acquire_shared({.lease = 600ms});
    server.command({"DEL", reader_key(held.owner())});
    ASSERT_TRUE(watch->await(event::kind::lost));
    EXPECT_EQ(held.release(), release_answer::already_lost);
    held = shared_mutex{watched, "stock"}.acquire({.lease = 600ms});
    server.command({"DEL", "stock"});
    EXPECT_TRUE(eventually([&] { return !held.valid(); }));
}

TEST_F(redisson_rw, can_be_inspected_and_broken) {
    const auto watch = std::make_shared<recording_observer>();
    const client watched{server.url() + "?layout=redisson", {.observer = watch}};
    const admin desk{there};
    auto held = shared_mutex{watched, "stock"}.acquire_shared({.lease = 20s});
    read_as_java(10s, 2);
    auto seen = desk.inspect("stock");
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->kind, primitive::shared_mutex);
    ASSERT_EQ(seen->holders.size(), 2U);
    EXPECT_EQ(seen->holders.at(0).owner, held.owner());
    EXPECT_EQ(seen->holders.at(0).mode, mode::shared);
    EXPECT_GT(seen->holders.at(0).remaining, 15s);
    EXPECT_LE(seen->holders.at(1).remaining, 10s) << "each its own";
    EXPECT_TRUE(desk.break_lock("stock"));
    ASSERT_TRUE(watch->await(event::kind::lost));
    EXPECT_TRUE(keys().empty());
    held = shared_mutex{watched, "stock"}.acquire();
    seen = desk.inspect("stock");
    EXPECT_EQ(seen->holders.at(0).owner, held.owner());
    EXPECT_EQ(seen->holders.at(0).mode, mode::exclusive);
    EXPECT_TRUE(desk.release("stock", held.owner())) << "by another client";
    EXPECT_FALSE(desk.inspect("stock"));
}

TEST_F(redisson_rw, with_fencing_writers_have_tokens_and_readers_do_not) {
    shared_mutex fenced{here, "stock", compat::redisson_fenced()};
    auto held = fenced.acquire();
    EXPECT_EQ(held.token(), 1U);
    held.release();
    held = fenced.acquire_shared();
    EXPECT_EQ(complaint_of([&] { (void)held.token(); }).code, errc::unsupported);
    held.release();
    held = fenced.acquire();
    EXPECT_EQ(held.token(), 2U);
}

TEST_F(redisson_rw, names_with_a_hash_tag_keep_it) {
    const std::string name = "shop{7}:stock";
    auto held = shared_mutex{here, name}.acquire_shared();
    EXPECT_THAT(keys(), ElementsAre(name, name + ":" + held.owner() + ":rwlock_timeout:1"));
    redis_raw waiter{server.port()};
    (void)waiter.ask({"SUBSCRIBE", "redisson_rwlock:" + name});
    held.release();
    EXPECT_TRUE(waiter.read());
}

} // namespace
} // namespace holdfast::test
