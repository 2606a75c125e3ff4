// A server's name is looked up on a thread of its own, which may be refused, too.
#include "scarcity/scarce.hpp"
#include "support/redis_server.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

namespace {

using namespace holdfast::test;

TEST(no_thread_to_look_up_a_host, is_tried_again_and_then_works) {
    const redis_server server;
    const holdfast::client fleet{"redis://localhost:" + std::to_string(server.port())};
    holdfast::mutex lock{fleet, "stock"};
    scarce::refuse_thread(2); // the first is the keeper's
    EXPECT_TRUE(lock.try_lock_for(long_wait));
    EXPECT_TRUE(scarce::settle().refused);
    lock.unlock();
}

TEST(no_thread_to_look_up_a_host, is_said_if_that_is_all_the_caller_waits_for) {
    const redis_server server;
    const holdfast::client fleet{"redis://localhost:" + std::to_string(server.port())};
    holdfast::mutex lock{fleet, "stock"};
    scarce::refuse_thread(2);
    try {
        (void)lock.try_lock_for(1ms);
        ADD_FAILURE() << "there was no thread";
    } catch (const holdfast::error& thrown) {
        EXPECT_EQ(thrown.code(), holdfast::errc::unavailable);
        EXPECT_NE(std::string{thrown.what()}.find("the system refuses another thread"),
                  std::string::npos)
            << thrown.what();
    }
    EXPECT_TRUE(scarce::settle().refused);
}

} // namespace
