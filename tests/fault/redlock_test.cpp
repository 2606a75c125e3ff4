// A quorum of five real servers of which some are dead, frozen or empty.
#include "fault/redlock_fixture.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace holdfast::test {
namespace {

using testing::HasSubstr;

using redlock = redlock_fault;

TEST_F(redlock, takes_a_vote_of_each_server_and_gives_all_back) {
    auto fleet = connect();
    mutex stock{fleet, "stock"};
    {
        const auto held = stock.acquire(); // as soon as a majority has joined
        EXPECT_TRUE(eventually([&] { return votes() == 5; }, scaled(1s)));
    }
    EXPECT_TRUE(eventually([&] { return votes() == 0; }));
}

TEST_F(redlock, tokens_rise_from_client_to_client) { // P3
    auto one = connect();
    auto two = connect();
    mutex first{one, "stock"};
    mutex second{two, "stock"};
    std::uint64_t last = 0;
    for (int round = 0; round < 50; ++round) {
        const auto held = (round % 2 == 0 ? first : second).acquire();
        EXPECT_GT(held.token(), last);
        last = held.token();
    }
}

TEST_F(redlock, works_with_two_of_five_servers_dead) {
    servers[1].kill();
    servers[4].kill();
    auto fleet = connect();
    auto rival = connect();
    mutex stock{fleet, "stock"};
    mutex other{rival, "stock"};
    for (int round = 0; round < 20; ++round) {
        const auto held = stock.acquire();
        EXPECT_TRUE(held.valid());
        EXPECT_FALSE(other.try_acquire());
    }
    EXPECT_TRUE(other.try_acquire_for(long_wait));
}

TEST_F(redlock, works_with_two_of_five_servers_frozen) {
    auto fleet = connect();
    mutex stock{fleet, "stock", {.lease = 5s}};
    { const auto held = stock.acquire(); }
    servers[0].pause();
    servers[3].pause();
    const stopwatch watch;
    for (int round = 0; round < 20; ++round) { const auto held = stock.acquire(); }
    EXPECT_LT(watch.elapsed(), scaled(2s)) << "the frozen servers are not waited for";
    servers[0].resume();
    servers[3].resume();
    EXPECT_TRUE(eventually([&] { return votes() == 0; })) << "P8: withdrawn when they answer again";
}

TEST_F(redlock, says_no_quorum_with_each_vote_when_three_of_five_are_dead) { // P5
    for (int at = 0; at < 3; ++at) { servers[static_cast<std::size_t>(at)].kill(); }
    auto fleet = connect({.connect_wait = 500ms});
    mutex stock{fleet, "stock"};
    std::error_code failure;
    const stopwatch watch;
    EXPECT_FALSE(stock.try_lock(failure));
    EXPECT_EQ(failure, errc::no_quorum);
    EXPECT_LT(watch.elapsed(), scaled(1500ms));
    try {
        stock.lock();
        ADD_FAILURE() << "locked by a minority";
    } catch (const error& thrown) {
        EXPECT_EQ(thrown.code(), errc::no_quorum);
        const std::string text = thrown.what();
        EXPECT_THAT(text, HasSubstr("3 of 5 nodes"));
        for (const auto& server : servers) {
            EXPECT_THAT(text, HasSubstr("127.0.0.1:" + std::to_string(server.port())));
        }
        EXPECT_THAT(text, HasSubstr("granted it"));
    }
    EXPECT_LT(watch.elapsed(), scaled(3s));
    EXPECT_EQ(votes(), 0) << "P8: the minority's votes are withdrawn";
}

TEST_F(redlock, a_hold_survives_the_death_of_two_servers_and_is_lost_by_that_of_three) { // P2
    auto fleet = connect();
    mutex stock{fleet, "stock", {.lease = scaled(600ms)}};
    const auto held = stock.acquire();
    ASSERT_TRUE(eventually([&] { return votes() == 5; }));
    servers[0].kill();
    servers[1].kill();
    std::this_thread::sleep_for(scaled(1800ms));
    EXPECT_TRUE(held.valid());
    servers[2].kill();
    EXPECT_TRUE(eventually([&] { return !held.valid(); }));
    EXPECT_TRUE(eventually([&] { return held.why_lost().has_value(); }));
}

TEST_F(redlock, one_node_that_lost_its_data_does_not_end_a_hold_and_gets_its_vote_again) {
    auto fleet = connect();
    mutex stock{fleet, "stock", {.lease = scaled(600ms)}};
    const auto held = stock.acquire();
    ASSERT_TRUE(eventually([&] { return votes() == 5; }));
    servers[2].flush_all();
    EXPECT_TRUE(eventually([&] { return votes() == 5; })) << "reclaimed";
    EXPECT_TRUE(held.valid());
}

TEST_F(redlock, a_lock_broken_on_one_node_only_stays_held) {
    auto fleet = connect();
    mutex stock{fleet, "stock", {.lease = scaled(600ms)}};
    const auto held = stock.acquire();
    ASSERT_TRUE(eventually([&] { return votes() == 5; }));
    client direct{servers[3].url()};
    EXPECT_TRUE(admin{direct}.break_lock("stock"));
    std::this_thread::sleep_for(scaled(1200ms));
    EXPECT_TRUE(held.valid());
    EXPECT_EQ(votes(), 4) << "a broken vote is not made again";
}

TEST_F(redlock, a_lock_that_is_broken_is_lost_by_its_holder) {
    auto fleet = connect();
    auto operators = connect();
    mutex stock{fleet, "stock"};
    const auto held = stock.acquire();
    EXPECT_TRUE(admin{operators}.break_lock("stock"));
    EXPECT_TRUE(eventually([&] { return !held.valid(); }, scaled(2s)));
    EXPECT_EQ(held.why_lost(), loss::taken);
}

TEST_F(redlock, a_waiter_gets_the_lock_soon_after_its_release) {
    auto fleet = connect();
    auto rival = connect();
    mutex stock{fleet, "stock"};
    mutex other{rival, "stock", {.quorum = {.retry_min = 20s, .retry_max = 30s}}};
    auto held = stock.acquire();
    background<bool> waiter{[&](std::stop_token stop) {
        return other.try_acquire_for(long_wait, {.stop = std::move(stop)}).has_value();
    }};
    std::this_thread::sleep_for(scaled(200ms));
    const stopwatch watch;
    held.release();
    EXPECT_TRUE(waiter.get());
    EXPECT_LT(watch.elapsed(), scaled(300ms)) << "by a hint, not by its next try";
}

TEST_F(redlock, refuses_two_addresses_of_one_server) {
    const auto port = std::to_string(servers[0].port());
    client fleet{"redlock://127.0.0.1:" + port + ",localhost:" + port +
                 ",127.0.0.1:" + std::to_string(servers[1].port()) + "?rejoin_delay=no"};
    mutex stock{fleet, "stock"};
    try { // the first may be granted by the two servers that there are
        for (int round = 0; round < 100; ++round) { const auto held = stock.acquire(); }
        ADD_FAILURE() << "two votes of one server";
    } catch (const error& thrown) {
        EXPECT_EQ(thrown.code(), errc::invalid_option);
        EXPECT_THAT(thrown.what(), HasSubstr("are the same server"));
    }
}

TEST_F(redlock, refuses_semaphores_with_the_reason) {
    auto fleet = connect();
    counting_semaphore slots{fleet, "slots", 3};
    try {
        (void)slots.acquire();
        ADD_FAILURE() << "granted";
    } catch (const error& thrown) {
        EXPECT_EQ(thrown.code(), errc::unsupported);
        EXPECT_THAT(thrown.what(), HasSubstr("two majorities"));
    }
}

TEST_F(redlock, readers_share_and_writers_exclude) {
    auto fleet = connect();
    auto rival = connect();
    shared_mutex one{fleet, "config"};
    shared_mutex two{rival, "config"};
    one.lock_shared();
    EXPECT_TRUE(two.try_lock_shared());
    auto third = connect();
    EXPECT_FALSE((shared_mutex{third, "config"}.try_lock()));
    two.unlock_shared();
    one.unlock_shared();
    EXPECT_TRUE(two.try_lock_for(long_wait));
    EXPECT_FALSE(one.try_lock_shared());
    two.unlock();
}

TEST_F(redlock, four_contenders_that_split_the_votes_all_get_their_turn) { // P7
    std::atomic<int> turns{0};
    std::atomic<int> inside{0};
    {
        std::vector<std::jthread> all;
        for (int at = 0; at < 4; ++at) {
            all.emplace_back([&] {
                auto fleet = connect();
                mutex stock{fleet, "stock"};
                for (int round = 0; round < 10; ++round) {
                    const std::scoped_lock hold{stock};
                    EXPECT_EQ(++inside, 1);
                    ++turns;
                    --inside;
                }
            });
        }
    }
    EXPECT_EQ(turns, 40);
}

} // namespace
} // namespace holdfast::test
