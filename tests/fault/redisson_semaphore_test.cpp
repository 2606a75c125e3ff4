// A counting_semaphore in layout::redisson: the keys and messages of Redisson's semaphores. The
// test acts as Redisson by raw commands; interop/ has the real one.

// compiled alone: other files of the folder have constants of the same names

#include "fault/redis_fixture.hpp"

#include <thread>

namespace holdfast::test {
namespace {

using testing::ElementsAre;

const std::string channel = "redisson_sc:{slots}";
const std::string permits = "{slots}:timeout";

class redisson_semaphore : public redis_fault {
protected:
    [[nodiscard]] std::string free() { return server.command({"GET", "slots"}).string(); }
    /// The permits that are out.
    [[nodiscard]] std::vector<std::string> out() {
        std::vector<std::string> all;
        const auto found = server.command({"ZRANGE", permits, "0", "-1"});
        for (const auto& each : found.items()) { all.push_back(each.string()); }
        return all;
    }
    [[nodiscard]] milliseconds left(const std::string& permit) {
        const auto time = server.command({"TIME"}).items();
        const auto now =
            std::stoll(time.at(0).string()) * 1'000 + std::stoll(time.at(1).string()) / 1'000;
        return milliseconds{std::stoll(server.command({"ZSCORE", permits, permit}).string()) - now};
    }
    /// A permit of its expirable semaphore; 922337203685477 stands for no lease.
    void take_as_java(const std::string& permit, const std::string& until = "922337203685477") {
        server.command({"DECRBY", "slots", "1"});
        server.command({"ZADD", permits, until, permit});
    }

    const std::string id = std::string("\0\1\2\3\4\5\6\7\x80\x81\n\xff:12", 15) + 'z';
    client here{server.url() + "?layout=redisson"};
    client there{server.url() + "?layout=redisson"};
    counting_semaphore slots{here, "slots", 3};
    counting_semaphore other{there, "slots", 3};
};

TEST_F(redisson_semaphore, is_a_number_and_a_set_of_permits_with_their_leases) {
    auto held = slots.acquire(2, {.lease = 10s});
    EXPECT_EQ(free(), "1");
    EXPECT_THAT(out(), ElementsAre(held.owner() + ":1", held.owner() + ":2"));
    EXPECT_GT(left(held.owner() + ":2"), 8s);
    EXPECT_LE(left(held.owner() + ":2"), 10s);
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_EQ(free(), "3");
    EXPECT_TRUE(eventually([&] { return keys() == std::vector<std::string>{"slots"}; }))
        << "the number stays, as with Redisson: without it Java's waiters would wait for ever";
}

TEST_F(redisson_semaphore, has_as_many_permits_as_java_has_given_it) {
    server.command({"SET", "slots", "1"});
    const auto held = slots.acquire();
    EXPECT_FALSE(slots.try_acquire());
    server.command({"INCRBY", "slots", "1"}); // addPermits
    EXPECT_TRUE(slots.try_acquire());
    EXPECT_EQ(admin{there}.inspect("slots")->limit, 2U);
}

TEST_F(redisson_semaphore, publishes_the_number_of_free_permits) {
    redis_raw waiter{server.port()};
    (void)waiter.ask({"SUBSCRIBE", channel});
    auto held = slots.acquire(2);
    EXPECT_EQ(waiter.read()->text(), "[message, " + channel + ", 1]") << "it is new";
    held.release();
    EXPECT_EQ(waiter.read()->text(), "[message, " + channel + ", 3]");
    EXPECT_FALSE(waiter.read(100ms)) << "once";
}

TEST_F(redisson_semaphore, takes_back_permits_whose_leases_have_ended) { // P7
    redis_raw waiter{server.port()};
    server.command({"SET", "slots", "2"});
    take_as_java(id, "1000");
    take_as_java("another", "2000");
    EXPECT_EQ(free(), "0");
    (void)waiter.ask({"SUBSCRIBE", channel});
    const auto held = slots.try_acquire();
    ASSERT_TRUE(held);
    EXPECT_EQ(free(), "1");
    EXPECT_THAT(out(), ElementsAre(held->owner() + ":1"));
    EXPECT_EQ(waiter.read()->text(), "[message, " + channel + ", 2]") << "for Java's waiters";
}

TEST_F(redisson_semaphore, javas_permits_keep_us_out_and_its_message_wakes_us) {
    server.command({"SET", "slots", "1"});
    take_as_java(id);
    EXPECT_FALSE(slots.try_acquire());
    background waiting{
        [&](std::stop_token stop) { return slots.acquire(1, {.stop = stop}).valid(); }};
    ASSERT_TRUE(eventually([&] {
        return server.command({"PUBSUB", "NUMSUB", channel}).items().at(1).number() == 1;
    }));
    std::this_thread::sleep_for(50ms);
    EXPECT_FALSE(waiting.done());
    server.command({"ZREM", permits, id});
    server.command({"INCRBY", "slots", "1"});
    const stopwatch since;
    server.command({"PUBLISH", channel, "1"});
    EXPECT_TRUE(waiting.get());
    EXPECT_LT(since.elapsed(), scaled(150ms)) << "sooner than it would look again";
}

TEST_F(redisson_semaphore, is_lost_when_its_permits_are_gone) { // P2
    auto held = slots.acquire(2, {.lease = 600ms});
    server.command({"DEL", permits});
    EXPECT_TRUE(eventually([&] { return !held.valid(); }));
    EXPECT_EQ(held.release(), release_answer::already_lost);
    EXPECT_EQ(free(), "1") << "what others do with its permits is their affair";
}

TEST_F(redisson_semaphore, can_be_inspected_and_broken) {
    const auto watch = std::make_shared<recording_observer>();
    const client watched{server.url() + "?layout=redisson", {.observer = watch}};
    const auto held = counting_semaphore{watched, "slots", 3}.acquire(2);
    take_as_java(id);
    const admin desk{there};
    const auto seen = desk.inspect("slots");
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->kind, primitive::semaphore);
    EXPECT_EQ(seen->limit, 3U);
    ASSERT_EQ(seen->holders.size(), 2U);
    EXPECT_EQ(seen->holders.at(0).owner, held.owner());
    EXPECT_EQ(seen->holders.at(0).permits, 2U);
    EXPECT_EQ(seen->holders.at(0).mode, mode::permits);
    EXPECT_EQ(seen->holders.at(1).owner, "000102030405060780810aff3a31327a") << "as Java shows it";
    EXPECT_GT(seen->holders.at(1).remaining, 24h * 365) << "it has no lease";
    EXPECT_TRUE(desk.break_lock("slots"));
    ASSERT_TRUE(watch->await(event::kind::lost));
    EXPECT_EQ(free(), "3");
    EXPECT_TRUE(out().empty());
}

TEST_F(redisson_semaphore, of_a_name_that_holds_something_else_is_an_error_and_leaves_it) {
    server.command({"SET", "slots", "some text"});
    EXPECT_EQ(complaint_of([&] { (void)slots.try_acquire(); }).code, errc::store_foreign);
    EXPECT_EQ(free(), "some text");
    server.command({"DEL", "slots"});
    server.command({"RPUSH", "slots", "a list"});
    EXPECT_EQ(complaint_of([&] { (void)slots.try_acquire(); }).code, errc::store_foreign);
    EXPECT_EQ(server.command({"LLEN", "slots"}).number(), 1);
}

TEST_F(redisson_semaphore, names_with_a_hash_tag_keep_it) {
    const std::string name = "shop{7}:slots";
    auto held = counting_semaphore{here, name, 1}.acquire();
    EXPECT_THAT(keys(), ElementsAre(name, name + ":timeout"));
    redis_raw waiter{server.port()};
    (void)waiter.ask({"SUBSCRIBE", "redisson_sc:" + name});
    held.release();
    EXPECT_TRUE(waiter.read());
}

// It counted permits as free before it removed them: each attempt made one more.
TEST_F(redisson_semaphore, mints_no_permit_for_a_user_who_may_not_remove_expired_ones) { // P1
    server.command({"ACL", "SETUSER", "locks", "on", ">secret", "~*", "&*", "+@all", "-zrem"});
    server.command({"SET", "slots", "3"});
    take_as_java("expired", "1000");
    ASSERT_EQ(free(), "2");
    client weak{"redis://locks:secret@127.0.0.1:" + std::to_string(server.port()) +
                "?layout=redisson"};
    counting_semaphore theirs{weak, "slots", 3};
    for (int attempt = 0; attempt < 3; ++attempt) {
        std::error_code failure;
        EXPECT_FALSE(theirs.try_acquire(failure));
        EXPECT_EQ(failure, errc::store_forbidden);
    }
    EXPECT_EQ(free(), "2");
    EXPECT_TRUE(slots.try_acquire(3)) << "whoever may takes it back, once";
}

// It said what its own limit leaves.
TEST_F(redisson_semaphore, says_how_many_permits_are_free_whatever_limit_it_was_made_with) {
    EXPECT_EQ(slots.available(), 3U) << "it is not used yet";
    server.command({"SET", "slots", "2"});
    EXPECT_EQ(slots.available(), 2U);
    server.command({"SET", "slots", "0"}); // the usual semaphore of Java does not say who has them
    EXPECT_EQ(slots.available(), 0U);
    EXPECT_FALSE(slots.try_acquire());
    server.command({"INCRBY", "slots", "7"});
    EXPECT_EQ(slots.available(), 7U);
    const auto held = slots.acquire(2);
    EXPECT_EQ(counting_semaphore(there, "slots", 9).available(), 5U);
    take_as_java("expired", "1000");
    EXPECT_EQ(slots.available(), 5U) << "the next acquire takes it back";
    server.command({"DECRBY", "slots", "9"}); // addPermits(-9)
    EXPECT_EQ(slots.available(), 0U);
}

// It was refused by the limit of the object: "must be from 1 to the limit, which is 3".
TEST_F(redisson_semaphore, grants_as_many_permits_as_there_are_whatever_limit_it_was_made_with) {
    EXPECT_EQ(complaint_of([&] { (void)slots.try_acquire(4); }).code, errc::invalid_option)
        << "a new one has as many as its limit says";
    EXPECT_TRUE(keys().empty());
    server.command({"SET", "slots", "7"});
    const auto five = slots.try_acquire(5);
    ASSERT_TRUE(five);
    EXPECT_EQ(free(), "2");
    EXPECT_FALSE(slots.try_acquire_for(5, 50ms)) << "others may return some";
    EXPECT_TRUE(counting_semaphore(there, "slots", 1).try_acquire(2));
}

} // namespace
} // namespace holdfast::test
