// The descriptors that a thread polls, and the check whether they have changed.

#include "holdfast/drive/poll_set.hpp"

#include "unit/fake_engine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <sys/socket.h>

namespace holdfast::drive {
namespace {

class poll_set_test : public testing::Test {
protected:
    poll_set_test() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        server_ = base::fd{ends[0]};
        ours_ = base::fd{ends[1]};
        state_.pollables = {{ours_.get(), POLLIN, 0}};
    }

    base::fd server_;
    base::fd ours_;
    test::fake_state state_;
    test::fake_engine engine_{state_};
    wake_up wake_;
    poll_set polled_;
};

TEST_F(poll_set_test, returns_when_the_engines_descriptor_is_ready) {
    ASSERT_EQ(::send(server_.get(), "x", 1, MSG_NOSIGNAL), 1);
    polled_.collect(wake_, engine_);
    polled_.wait();
    ASSERT_EQ(polled_.engine_descriptors().size(), 1U);
    EXPECT_EQ(polled_.engine_descriptors()[0].revents, POLLIN);
}

TEST_F(poll_set_test, returns_when_it_is_signalled_and_when_a_timer_is_due) {
    polled_.collect(wake_, engine_);
    wake_.signal();
    polled_.wait();
    EXPECT_EQ(polled_.engine_descriptors()[0].revents, 0);
    wake_.handle(polled_.driver_descriptors());
    wake_.arm(base::instant{std::chrono::nanoseconds{1}}); // long ago
    polled_.collect(wake_, engine_);
    polled_.wait();
    EXPECT_NE(polled_.driver_descriptors()[0].revents, 0);
    EXPECT_EQ(polled_.driver_descriptors()[1].revents, 0) << "the signal was handled";
}

TEST_F(poll_set_test, is_current_until_the_engines_descriptors_change) {
    polled_.collect(wake_, engine_);
    EXPECT_TRUE(polled_.is_current(engine_));
    state_.pollables[0].events = POLLIN | POLLOUT;
    EXPECT_FALSE(polled_.is_current(engine_));
    state_.pollables[0] = {server_.get(), POLLIN, 0};
    EXPECT_FALSE(polled_.is_current(engine_));
    state_.pollables.clear();
    EXPECT_FALSE(polled_.is_current(engine_));
    polled_.collect(wake_, engine_);
    EXPECT_TRUE(polled_.is_current(engine_));
}

} // namespace
} // namespace holdfast::drive
