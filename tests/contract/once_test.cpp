// call_once across clients.
#include "contract/contract.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::call_once;
using holdfast::errc;
using holdfast::lease;
using holdfast::once_flag;

HOLDFAST_CONTRACT(once_flags);

TEST_P(once_flags, run_the_function_once_and_give_its_result_to_all) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect(); // a store in memory lives as long as its clients
    std::atomic<int> runs{0};
    std::atomic<int> wrong{0};
    {
        std::vector<std::jthread> all;
        for (int i = 0; i < 5; ++i) {
            all.emplace_back([&] {
                auto own = connect();
                once_flag flag{own, "schema-7"};
                const auto result = call_once(flag, [&] {
                    std::this_thread::sleep_for(50ms);
                    return "run " + std::to_string(++runs);
                });
                if (result != "run 1") { ++wrong; }
            });
        }
    }
    EXPECT_EQ(runs.load(), 1);
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(once_flag(mine, "schema-7").result(), "run 1");
    EXPECT_EQ(once_flag(mine, "schema-8").result(), std::nullopt);
    EXPECT_TRUE(will_be_clear("once:schema-7"));
}

TEST_P(once_flags, let_another_try_after_an_exception) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    auto theirs = connect();
    once_flag here{mine, "schema-7"};
    once_flag there{theirs, "schema-7"};
    EXPECT_THROW(call_once(here, [] { throw std::runtime_error{"no"}; }), std::runtime_error);
    EXPECT_EQ(here.result(), std::nullopt);
    EXPECT_EQ(call_once(there, [] { return std::string{"done"}; }), "done");
    EXPECT_EQ(call_once(here, [] { return std::string{"again"}; }), "done");
}

TEST_P(once_flags, refuse_the_result_of_a_runner_that_was_replaced) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    auto theirs = connect();
    once_flag here{mine, "schema-7"};
    once_flag there{theirs, "schema-7"};
    const auto result = call_once(here, [&](const lease& held) {
        EXPECT_TRUE(holdfast::admin{theirs}.break_lock("once:schema-7"));
        EXPECT_EQ(call_once(there, [] { return std::string{"newer"}; }), "newer");
        EXPECT_TRUE(eventually([&] { return !held.valid(); }));
        return std::string{"older"};
    });
    EXPECT_EQ(result, "newer");
    EXPECT_EQ(there.result(), "newer");
}

TEST_P(once_flags, are_forgotten_or_reset) { // P8
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    once_flag brief{mine, "brief", {.keep = 1s}};
    EXPECT_EQ(call_once(brief, [] { return std::string{"a"}; }), "a");
    EXPECT_TRUE(eventually([&] { return !brief.result(); }, 5s));
    EXPECT_EQ(call_once(brief, [] { return std::string{"b"}; }), "b");
    once_flag kept{mine, "kept"};
    call_once(kept, [] {});
    EXPECT_EQ(kept.result(), "");
    kept.reset();
    EXPECT_EQ(kept.result(), std::nullopt);
    EXPECT_EQ(call_once(kept, [] { return std::string{"c"}; }), "c");
}

TEST_P(once_flags, wait_no_longer_than_they_may) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    auto theirs = connect();
    once_flag here{mine, "schema-7"};
    once_flag there{theirs, "schema-7"};
    const auto never = [] { return std::string{"never"}; };
    EXPECT_EQ(call_once(here,
                        [&] {
                            EXPECT_EQ(try_call_once_for(there, 0ms, never), std::nullopt);
                            EXPECT_EQ(try_call_once_for(there, 20ms, never), std::nullopt);
                            std::stop_source stop;
                            stop.request_stop();
                            EXPECT_EQ(failure_of([&] {
                                          call_once(there, never, {.stop = stop.get_token()});
                                      }),
                                      errc::cancelled);
                            return std::string{"done"};
                        }),
              "done");
    EXPECT_EQ(try_call_once_for(there, 0ms, never), "done");
}

// The longest was refused, after the function had run.
TEST_P(once_flags, keep_a_result_of_the_longest_length) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    once_flag flag{mine, "schema-7"};
    const auto result_of = [&](std::size_t size) {
        return call_once(flag, [size] { return std::string(size, 'x'); });
    };
    EXPECT_EQ(failure_of([&] { (void)result_of(holdfast::limits::value_bytes + 1); }),
              errc::limit_reached);
    EXPECT_EQ(result_of(holdfast::limits::value_bytes).size(), holdfast::limits::value_bytes);
    EXPECT_EQ(flag.result(), std::string(holdfast::limits::value_bytes, 'x'));
    holdfast::election scheduler{mine, "scheduler"};
    auto term = scheduler.campaign(std::string(holdfast::limits::value_bytes, 'y'));
    EXPECT_EQ(scheduler.leader().value.size(), holdfast::limits::value_bytes);
    EXPECT_EQ(
        failure_of([&] { term.publish(std::string(holdfast::limits::value_bytes + 1, 'y')); }),
        errc::limit_reached);
}

TEST_P(once_flags, refuse_what_makes_no_sense) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    once_flag flag{mine, "schema-7"};
    EXPECT_EQ(failure_of([&] { call_once(flag, [] { return std::string(70'000, 'x'); }); }),
              errc::limit_reached);
    EXPECT_EQ(failure_of([&] { const once_flag none{mine, "", {}}; }), errc::invalid_name);
    EXPECT_EQ(failure_of([&] {
                  const once_flag none{mine, "a", {.lease = 1ms}};
              }),
              errc::invalid_option);
}

} // namespace
