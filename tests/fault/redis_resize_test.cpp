// The limit of a semaphore on Redis when rights are missing or replies are lost.

#include "fault/redis_fixture.hpp"

#include <algorithm>

namespace holdfast::test {
namespace {

class redis_resize : public redis_fault {
protected:
    /// A client of a user with these rights.
    [[nodiscard]] client as_user(std::vector<std::string> rights) {
        rights.insert(rights.begin(), {"ACL", "SETUSER", "locks", "reset", "on", ">secret", "&*"});
        server.command(rights);
        return client{"redis://locks:secret@127.0.0.1:" + std::to_string(server.port())};
    }
    [[nodiscard]] bool exists(const std::string& key) {
        return server.command({"EXISTS", key}).number() == 1;
    }
};

// A rule that names the keys of the version before: what it may not see counted as "never resized".
TEST_F(redis_resize, is_not_passed_by_a_user_who_may_not_read_the_limit) { // P1
    auto here = direct();
    counting_semaphore slots{here, "slots", 3};
    slots.resize(1);
    auto weak = as_user({"+@all", "~hf:{*}", "~hf:{*}:[qwhdtl]", "~hf:mark"});
    counting_semaphore theirs{weak, "slots", 3, {.min_hold = 100ms}};
    for (int i = 0; i < 3; ++i) {
        std::error_code failure;
        EXPECT_FALSE(theirs.try_acquire(failure));
        EXPECT_EQ(failure, errc::store_forbidden);
    }
    EXPECT_EQ(slots.available(), 1U);
}

TEST_F(redis_resize, changes_nothing_for_a_user_who_lacks_a_right_that_it_needs_later) { // P1
    auto here = direct();
    counting_semaphore slots{here, "slots", 2};
    const auto first = slots.acquire();
    auto second = slots.acquire();
    background third{
        [&](std::stop_token stop) { return slots.acquire(1, {.stop = std::move(stop)}); }};
    ASSERT_TRUE(eventually([&] { return look("slots").waiters.size() == 1; }));
    auto weak = as_user({"+@all", "~*", "-hgetall"});
    counting_semaphore theirs{weak, "slots", 2};
    std::error_code failure;
    theirs.resize(1, failure);
    EXPECT_EQ(failure, errc::store_forbidden);
    EXPECT_FALSE(exists("hf:{slots}:r"));
    second.release();
    EXPECT_TRUE(third.done_within(long_wait)) << "the limit is two still";
}

TEST_F(redis_resize, whose_reply_is_lost_is_unknown_if_the_server_is_not_reached_again) { // P5
    auto here = connect("", {.connect_wait = 1s});
    counting_semaphore slots{here, "slots", 3};
    EXPECT_EQ(slots.available(), 3U); // it is connected
    between.refuse_new();
    between.drop_answers({.with = "$1\r\n7\r\n"});
    std::error_code failure;
    slots.resize(7, failure);
    EXPECT_EQ(failure, errc::unknown_outcome);
    EXPECT_TRUE(exists("hf:{slots}:r")) << "it was done";
}

// It removed the dead holder, and was refused before the record followed: its permit was lost for
// as long as anybody held another.
TEST_F(redis_resize, a_user_who_may_not_publish_leaves_a_dead_holder_for_others_to_remove) { // P7
    auto here = connect();
    const auto there = direct();
    counting_semaphore theirs{there, "slots", 2, {.lease = 500ms, .renew = false}};
    const auto dead = theirs.acquire();
    const auto held = counting_semaphore{there, "slots", 2}.acquire();
    counting_semaphore slots{here, "slots", 2};
    background third{
        [&](std::stop_token stop) { return slots.acquire(1, {.stop = std::move(stop)}); }};
    ASSERT_TRUE(will_wait(1, "slots"));
    between.silence_new();
    between.half_open(); // the waiter does not look either
    std::this_thread::sleep_for(600ms);
    auto weak = as_user({"+@all", "~*", "-publish"});
    std::error_code failure;
    (void)admin{weak}.inspect("slots", failure);
    EXPECT_EQ(failure, errc::store_forbidden);
    between.heal();
    EXPECT_TRUE(third.done_within(long_wait)) << "its permit is gone";
}

TEST_F(redis_resize, leaves_no_key_of_a_holder_who_may_not_be_written) { // P8
    for (const std::string right : {"zadd", "pexpire"}) {
        auto weak = as_user({"+@all", "~*", "-" + right});
        std::error_code failure;
        EXPECT_FALSE((counting_semaphore{weak, "slots", 3}.try_acquire(failure)));
        EXPECT_EQ(failure, errc::store_forbidden);
        EXPECT_FALSE((shared_mutex{weak, "config"}.try_acquire_shared(failure)));
        EXPECT_EQ(failure, errc::store_forbidden);
        for (const std::string key : {"hf:{slots}:h", "hf:{slots}:d", "hf:{config}:h"}) {
            EXPECT_FALSE(exists(key)) << key << " without " << right;
        }
    }
}

} // namespace
} // namespace holdfast::test
