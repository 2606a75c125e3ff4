// The direct reader: its results, and when it spins.

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

/// Advances by `step` each time it is read.
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

class direct_reader_test : public testing::Test {
protected:
    direct_reader_test() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        server_ = base::fd{ends[0]};
        ours_ = base::fd{ends[1]};
        // Like the engine's socket, it has a short receive time-out.
        constexpr timeval timeout{.tv_sec = 0, .tv_usec = 1000};
        EXPECT_EQ(::setsockopt(ours_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout), 0);
    }

    void send(std::string_view text) const {
        EXPECT_EQ(::send(server_.get(), text.data(), text.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(text.size()));
    }
    [[nodiscard]] engine::direct_read source(base::duration spin = 60us) {
        return {ours_.get(), room_, spin};
    }
    /// Returns how often the clock was read: 0 if it did not spin.
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

TEST_F(direct_reader_test, returns_bytes_that_have_arrived) {
    send("+OK");
    const auto result = reader_.read(source(), false);
    EXPECT_EQ(result.count, 3);
    EXPECT_EQ((std::string_view{room_.data(), 3}), "+OK");
    EXPECT_EQ(clock_.readings, 0) << "it need not spin";
}

TEST_F(direct_reader_test, returns_when_nothing_arrives) {
    for (const bool may_spin : {false, true}) {
        const auto result = reader_.read(source(), may_spin);
        EXPECT_EQ(result.count, -1);
        EXPECT_EQ(result.error, EAGAIN);
    }
}

TEST_F(direct_reader_test, reports_that_the_connection_is_closed) {
    server_.reset();
    EXPECT_EQ(reader_.read(source(), false).count, 0);
    EXPECT_EQ(reader_.read(source(), true).count, 0);
}

TEST_F(direct_reader_test, reports_why_it_failed) {
    auto closed = source();
    closed.descriptor = -1;
    for (const bool may_spin : {false, true}) {
        const auto result = reader_.read(closed, may_spin);
        EXPECT_EQ(result.count, -1);
        EXPECT_EQ(result.error, EBADF);
    }
}

TEST_F(direct_reader_test, spins_for_the_time_that_the_engine_sets) {
    static_cast<void>(reader_.read(source(0us), true));
    EXPECT_EQ(clock_.readings, 0);
    static_cast<void>(reader_.read(source(60us), true));
    EXPECT_EQ(clock_.readings, 61) << "once before, and after each of 60 tries";
}

TEST_F(direct_reader_test, keeps_spinning_while_spinning_finds_the_reply) {
    for (int i = 0; i < 10; ++i) { EXPECT_EQ(spins(true), 2) << i; }
}

TEST_F(direct_reader_test, spins_less_often_after_each_failure) {
    EXPECT_GT(spins(false), 0);
    int pauses = 0;
    while (spins(false) == 0) { ++pauses; }
    EXPECT_EQ(pauses, 4);
    pauses = 0;
    while (spins(false) == 0) { ++pauses; }
    EXPECT_EQ(pauses, 8);
}

// The server may have waited for this cpu.
TEST_F(direct_reader_test, counts_as_a_failure_if_the_thread_was_preempted) {
    clock_.step = 10us;
    EXPECT_GT(spins(true), 0);
    EXPECT_EQ(spins(true), 0);
}

TEST_F(direct_reader_test, is_not_allowed_after_the_poll_interval) {
    EXPECT_FALSE(reader_.allowed(start, base::never)) << "never polled";
    reader_.on_poll(start);
    EXPECT_TRUE(reader_.allowed(start, base::never));
    EXPECT_TRUE(reader_.allowed(start + 4999us, base::never));
    EXPECT_FALSE(reader_.allowed(start + 5ms, base::never));
}

TEST_F(direct_reader_test, is_not_allowed_while_a_timer_is_due_soon) {
    reader_.on_poll(start);
    EXPECT_TRUE(reader_.allowed(start, start + 5ms));
    EXPECT_FALSE(reader_.allowed(start, start + 4999us));
    EXPECT_FALSE(reader_.allowed(start, start - 1ms));
}

} // namespace
} // namespace holdfast::drive
