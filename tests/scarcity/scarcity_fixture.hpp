#pragma once
// What the tests of scarcity have in common: something is done again and again, each time another
// request of it is refused, and each time all must be well afterwards.

#include "scarcity/scarce.hpp"
#include "support/engines.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::test {

/// Runs `action`. What it may throw when something is refused: std::bad_alloc, or an error that
/// says what to do. Whether it threw.
template <typename Action>
bool throws_what_it_may(Action action) {
    try {
        action();
        return false;
    } catch (const std::bad_alloc&) { return true; } catch (const error& thrown) {
        const scarce::exempt mine;
        EXPECT_TRUE(thrown.code() == errc::unavailable || thrown.code() == errc::limit_reached)
            << thrown.what();
        return true;
    }
}

class scarcity : public testing::TestWithParam<engine_under_test> {
protected:
    [[nodiscard]] std::string url() const { return store_->url(); }
    [[nodiscard]] client& rival() { return rival_; }
    /// The shorter it tries, the sooner it tries again.
    [[nodiscard]] client connect() const { return client{url(), {.connect_wait = 1s}}; }

    /// Does `act` until nothing is refused any more, with another request refused each time, and
    /// `check` after each. How many requests the last one made. With a `step`, only every n-th of
    /// them is refused: where each takes long, because a client without memory waits in vain for
    /// its last answers.
    template <typename Act, typename Check>
    std::size_t refuse_each(void (*refuse)(std::size_t), Act act, Check check,
                            std::size_t step = 1) {
        constexpr std::size_t too_many = 5'000;
        for (std::size_t which = 1; which < too_many; which += step) {
            SCOPED_TRACE("request " + std::to_string(which) + " is refused");
            refuse(which);
            act();
            const auto account = scarce::settle();
            check();
            if (!account.refused || HasFailure()) { return account.asked; }
        }
        ADD_FAILURE() << "it never ends";
        return too_many;
    }

    /// Nobody holds or waits for it: another client has it at once, long before a lease ends.
    void expect_free(const std::string& name) {
        const stopwatch since;
        const auto got = mutex{rival_, name}.try_acquire_for(long_wait);
        EXPECT_TRUE(got) << name << " is held by nobody";
        EXPECT_LT(since.elapsed(), 5s) << name;
    }

    /// Whether somebody waits for it, as far as the engine says.
    [[nodiscard]] bool waits(const std::string& name) {
        return !admin{rival_}.inspect(name).value_or(lock_info{}).waiters.empty();
    }

    /// What this asks for counts, though the thread be exempt.
    static void release(lease& held) {
        const scarce::counted here;
        throws_what_it_may([&] { held.release(); });
    }

    /// The client is as good as new. On a busy machine an answer may take longer than it waits.
    static void expect_works(client& fleet, const std::string& name) {
        mutex lock{fleet, name};
        std::error_code failure;
        EXPECT_TRUE(eventually([&] { return lock.try_lock_for(1s, failure); })) << failure;
        EXPECT_TRUE(lock.valid());
        lock.unlock();
    }

private:
    std::unique_ptr<store> store_ = GetParam().make_store();
    client rival_{store_->url(), {.connect_wait = 3s}};
};

/// Those of these names that this build has.
[[nodiscard]] inline std::vector<engine_under_test>
engines_of(std::initializer_list<std::string_view> names) {
    std::vector<engine_under_test> out;
    for (const auto& one : engines()) {
        if (std::ranges::find(names, one.name) != names.end()) { out.push_back(one); }
    }
    return out;
}

} // namespace holdfast::test

/// Declares a topic, whose tests are TEST_P(topic, sentence), for these engines.
// NOLINTNEXTLINE(bugprone-macro-parentheses): a class's name cannot be in parentheses
#define HOLDFAST_SCARCITY(topic, ...)                                                              \
    class topic : public ::holdfast::test::scarcity {};                                            \
    INSTANTIATE_TEST_SUITE_P(                                                                      \
        scarcity, topic, ::testing::ValuesIn(::holdfast::test::engines_of({__VA_ARGS__})),         \
        [](const ::testing::TestParamInfo<::holdfast::test::engine_under_test>& engine) {          \
            return engine.param.name;                                                              \
        })
