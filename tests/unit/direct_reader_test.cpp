// Reading an answer from a socket: what arrives, what does not, and whether spinning pays.

#include "holdfast/drive/direct_reader.hpp"

#include "holdfast/base/fd.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>

namespace holdfast::drive {
namespace {

using namespace std::chrono_literals;

constexpr base::instant start{std::chrono::hours{1}};

/// Goes on by `step` each time that it is read.
class stepping_clock final : public base::time_source {
public:
    [[nodiscard]] base::instant now() const noexcept override {
        ++readings;
        return at_ += step;
    }
    [[nodiscard]] std::int64_t wall_us() const noexcept override { return 0; }

    base::duration step = 1us;
    mutable int readings = 0;

private:
    mutable base::instant at_ = start;
};

class direct_reading : public testing::Test {
protected:
    direct_reading() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        server_ = base::fd{ends[0]};
        ours_ = base::fd{ends[1]};
        // As the engine's socket: it blocks for a moment only.
        constexpr timeval longest{.tv_sec = 0, .tv_usec = 1000};
        EXPECT_EQ(::setsockopt(ours_.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest), 0);
    }

    void send(std::string_view text) const {
        EXPECT_EQ(::send(server_.get(), text.data(), text.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(text.size()));
    }
    [[nodiscard]] engine::direct_read source(base::duration spin = 60us) {
        return {ours_.get(), room_, spin};
    }
    /// How many times the clock is read: 0, it did not spin.
    int spins(bool answer_is_there) {
        clock_.readings = 0;
        if (answer_is_there) { send("+OK"); }
        static_cast<void>(reader_.read(source(), true));
        return clock_.readings;
    }

    base::fd server_;
    base::fd ours_;
    std::array<char, 16> room_{};
    stepping_clock clock_;
    direct_reader reader_{clock_};
};

TEST_F(direct_reading, gets_what_has_arrived) {
    send("+OK");
    const auto result = reader_.read(source(), false);
    EXPECT_EQ(result.count, 3);
    EXPECT_EQ((std::string_view{room_.data(), 3}), "+OK");
    EXPECT_EQ(clock_.readings, 0) << "it need not spin";
}

TEST_F(direct_reading, returns_when_nothing_arrives) {
    for (const bool may_spin : {false, true}) {
        const auto result = reader_.read(source(), may_spin);
        EXPECT_EQ(result.count, -1);
        EXPECT_EQ(result.error, EAGAIN);
    }
}

TEST_F(direct_reading, says_that_the_connection_is_closed) {
    server_.reset();
    EXPECT_EQ(reader_.read(source(), false).count, 0);
    EXPECT_EQ(reader_.read(source(), true).count, 0);
}

TEST_F(direct_reading, says_why_it_failed) {
    auto closed = source();
    closed.descriptor = -1;
    for (const bool may_spin : {false, true}) {
        const auto result = reader_.read(closed, may_spin);
        EXPECT_EQ(result.count, -1);
        EXPECT_EQ(result.error, EBADF);
    }
}

TEST_F(direct_reading, spins_for_as_long_as_the_engine_says) {
    static_cast<void>(reader_.read(source(0us), true));
    EXPECT_EQ(clock_.readings, 0);
    static_cast<void>(reader_.read(source(60us), true));
    EXPECT_EQ(clock_.readings, 61) << "once before, and after each of 60 tries";
}

TEST_F(direct_reading, goes_on_spinning_where_the_answer_was_found) {
    for (int i = 0; i < 10; ++i) { EXPECT_EQ(spins(true), 2) << i; }
}

TEST_F(direct_reading, spins_less_and_less_where_it_is_in_vain) {
    EXPECT_GT(spins(false), 0);
    int pauses = 0;
    while (spins(false) == 0) { ++pauses; }
    EXPECT_EQ(pauses, 4);
    pauses = 0;
    while (spins(false) == 0) { ++pauses; }
    EXPECT_EQ(pauses, 8);
}

// The server may have needed this very cpu for the answer.
TEST_F(direct_reading, counts_as_in_vain_when_the_thread_was_preempted) {
    clock_.step = 10us;
    EXPECT_GT(spins(true), 0);
    EXPECT_EQ(spins(true), 0);
}

TEST_F(direct_reading, is_not_allowed_for_long_without_a_poll) {
    EXPECT_FALSE(reader_.allowed(start, base::never)) << "never polled";
    reader_.on_poll(start);
    EXPECT_TRUE(reader_.allowed(start, base::never));
    EXPECT_TRUE(reader_.allowed(start + 4999us, base::never));
    EXPECT_FALSE(reader_.allowed(start + 5ms, base::never));
}

TEST_F(direct_reading, is_not_allowed_while_a_timer_is_due_soon) {
    reader_.on_poll(start);
    EXPECT_TRUE(reader_.allowed(start, start + 5ms));
    EXPECT_FALSE(reader_.allowed(start, start + 4999us));
    EXPECT_FALSE(reader_.allowed(start, start - 1ms));
}

} // namespace
} // namespace holdfast::drive
