// The driver: a blocked caller leads and reads the answers of all, or the keeper does.

#include "holdfast/drive/driver.hpp"

#include "unit/fake_engine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace holdfast::drive {
namespace {

using namespace std::chrono_literals;
using engine::op_status;

/// An engine that answers its operations in order, one for each byte that it receives.
class line_engine {
public:
    line_engine() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        server_ = base::fd{ends[0]};
        ours_ = base::fd{ends[1]};
        state.pollables = {{ours_.get(), POLLIN, 0}};
        state.on_submit = [this](engine::op_id id) {
            unanswered_.push_back(id);
            ++submitted;
        };
        state.on_drive = [this](std::span<const pollfd> ready) {
            if (ready.empty() || ready[0].revents == 0) { return; }
            std::array<char, 64> bytes{};
            const auto count = ::recv(ours_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
            for (ssize_t i = 0; i < count; ++i) {
                note_reader();
                state.answer(unanswered_.front(), op_status::granted);
                unanswered_.pop_front();
            }
        };
    }

    /// From any thread.
    void answer(int count = 1) const {
        const std::string bytes(static_cast<std::size_t>(count), '+');
        EXPECT_EQ(::send(server_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), count);
    }

    test::fake_state state;
    std::atomic<std::size_t> submitted{0};
    std::atomic<int> read_by_callers{0};
    std::atomic<int> read_by_keeper{0};

private:
    void note_reader() {
        std::array<char, 16> name{};
        ::pthread_getname_np(::pthread_self(), name.data(), name.size());
        ++(std::string{name.data()} == "holdfast-keeper" ? read_by_keeper : read_by_callers);
    }

    base::fd server_;
    base::fd ours_;
    std::deque<engine::op_id> unanswered_;
};

/// A caller's operation.
class question final : public participant {
public:
    explicit question(driver& driver) : driver_{driver} {}
    void on_timer(base::instant /*now*/) override { finish(); }
    void on_answer(purpose /*purpose*/, const engine::answer& /*answer*/, base::instant /*sent*/,
                   base::instant /*now*/) override {
        answered = true;
        finish();
    }
    void on_cancel(base::instant /*now*/) override { finish(); }
    void on_shutdown() override { shut_down = true; }
    void send() {
        driver_.send(
            *this, purpose::acquire, [] { return engine::op{engine::diagnose_op{}}; }, base::never);
    }

    sleeper sleep;
    bool answered = false;
    bool shut_down = false;

private:
    void finish() { driver_.ready(sleep); }
    driver& driver_;
};

/// The system's time; counts how often it is read.
class counting_time final : public base::time_source {
public:
    [[nodiscard]] base::instant now() const noexcept override {
        ++reads;
        return base::system_time().now();
    }
    [[nodiscard]] std::int64_t wall_us() const noexcept override {
        return base::system_time().wall_us();
    }

    mutable std::atomic<int> reads{0};
};

class driver_test : public testing::Test {
protected:
    std::shared_ptr<question> make() { return std::make_shared<question>(driver_); }
    /// Blocks until the question is answered, as a caller does.
    bool ask() {
        const auto mine = make();
        {
            driver::turn turn{driver_};
            mine->send();
            turn.wait(mine->sleep);
        }
        return mine->answered;
    }
    void start_keeper() {
        const driver::turn turn{driver_};
        driver_.ensure_keeper();
    }
    void await_submitted(std::size_t count) const {
        while (line_.submitted < count) { std::this_thread::yield(); }
    }

    /// Without waiting in the driver.
    void await_answer(const question& question) {
        for (bool seen = false; !seen; std::this_thread::yield()) {
            const driver::turn turn{driver_};
            seen = question.answered;
        }
    }

    /// Takes the driver's lock and gives it back: whoever had it waits by now.
    void await_unlocked() { const driver::turn turn{driver_}; }

    line_engine line_;
    counting_time time_;
    driver driver_{std::make_unique<test::fake_engine>(line_.state), time_};
};

TEST_F(driver_test, returns_at_once_if_the_answer_has_arrived) {
    line_.state.on_submit = [&](engine::op_id id) { line_.state.answer(id, op_status::granted); };
    EXPECT_TRUE(ask()); // hangs if it waits: no byte is sent
}

TEST_F(driver_test, lets_the_waiting_caller_read_its_answer) {
    start_keeper();
    const std::jthread server{[&] {
        await_submitted(1);
        line_.answer();
    }};
    EXPECT_TRUE(ask());
    EXPECT_EQ(line_.read_by_callers, 1);
}

TEST_F(driver_test, wakes_followers_with_answers_that_the_leader_reads) {
    std::vector<std::jthread> callers;
    std::atomic<int> answered{0};
    for (int i = 0; i < 3; ++i) {
        callers.emplace_back([&] { answered += ask() ? 1 : 0; });
    }
    await_submitted(3);
    line_.answer(3);
    callers.clear();
    EXPECT_EQ(answered, 3);
    EXPECT_EQ(line_.read_by_callers, 3);
}

TEST_F(driver_test, passes_the_lead_from_caller_to_caller) {
    std::vector<std::jthread> callers;
    std::atomic<int> answered{0};
    for (int i = 0; i < 3; ++i) {
        callers.emplace_back([&] { answered += ask() ? 1 : 0; });
    }
    await_submitted(3);
    for (int i = 1; i <= 3; ++i) { // one answer at a time: the leader leaves, and the next reads
        line_.answer();
        while (answered < i) { std::this_thread::yield(); }
    }
}

TEST_F(driver_test, lets_the_keeper_lead_many_callers) {
    constexpr int count = 8;
    start_keeper();
    std::vector<std::jthread> callers;
    std::atomic<int> answered{0};
    for (int i = 0; i < count; ++i) {
        callers.emplace_back([&] { answered += ask() ? 1 : 0; });
    }
    await_submitted(count);
    for (int i = 1; i <= count; ++i) {
        line_.answer();
        while (answered < i) { std::this_thread::yield(); }
    }
    EXPECT_GT(line_.read_by_keeper, 0) << "the first leader leaves seven behind";
}

// No caller waits, so only the keeper can read the answer.
TEST_F(driver_test, lets_the_keeper_read_answers_when_no_caller_waits) {
    start_keeper();
    const auto unwaited = make();
    {
        const driver::turn turn{driver_};
        unwaited->send();
    }
    line_.answer();
    await_answer(*unwaited);
    EXPECT_EQ(line_.read_by_keeper, 1);
}

TEST_F(driver_test, ends_a_wait_that_is_cancelled) {
    const auto mine = make();
    std::jthread canceller{[&] {
        await_submitted(1);
        driver_.cancel(mine);
    }};
    driver::turn turn{driver_};
    mine->send();
    turn.wait(mine->sleep);
    EXPECT_FALSE(mine->answered);
}

TEST_F(driver_test, ends_a_wait_whose_timer_is_due) {
    const auto mine = make();
    driver::turn turn{driver_};
    mine->send();
    driver_.wake_at(*mine, turn.now() + 1ms);
    turn.wait(mine->sleep);
    EXPECT_FALSE(mine->answered);
}

TEST_F(driver_test, polls_descriptors_that_are_opened_while_the_keeper_polls) {
    const auto connected = std::exchange(line_.state.pollables, {}); // none is open yet
    line_.state.on_submit = [&, submit = line_.state.on_submit](engine::op_id id) {
        submit(id);
        line_.state.pollables = connected;
    };
    start_keeper();
    const auto unwaited = make();
    {
        const driver::turn turn{driver_};
        unwaited->send();
    }
    line_.answer();
    await_answer(*unwaited); // hangs if the keeper polls the old ones
}

TEST_F(driver_test, calls_on_shutdown_of_all_listeners) {
    start_keeper();
    const auto listener = make();
    {
        const driver::turn turn{driver_};
        driver_.listen(7, *listener);
    }
    driver_.drain(1h); // nothing is in flight
    EXPECT_TRUE(listener->shut_down);
}

TEST_F(driver_test, drain_waits_for_operations_in_flight) {
    start_keeper();
    const auto last = make();
    {
        const driver::turn turn{driver_};
        last->send();
    }
    line_.answer();
    driver_.drain(1h);
    EXPECT_TRUE(last->answered);
}

TEST_F(driver_test, drain_returns_after_its_time_out) {
    const auto last = make();
    {
        const driver::turn turn{driver_};
        last->send();
    }
    driver_.drain(1ms);
    EXPECT_FALSE(last->answered);
}

// E.g. in an unlock() that is about to return. A caller that leaves the lead wakes nobody.
TEST_F(driver_test, ends_after_the_caller_that_leads_has_left) {
    const std::jthread caller{[&] { EXPECT_TRUE(ask()); }};
    await_submitted(1);
    await_unlocked(); // the caller leads, and polls
    const std::jthread server{[&, before = time_.reads.load()] {
        while (time_.reads == before) { std::this_thread::yield(); } // drain() has the lock
        await_unlocked();                                            // it waits for the lead
        line_.answer();
    }};
    driver_.drain(1h); // without end if it only looked once
}

} // namespace
} // namespace holdfast::drive
