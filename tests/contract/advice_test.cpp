// What an error says: where it happened, and what to do.
#include "contract/contract.hpp"

#include <mutex>
#include <shared_mutex>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::primitive;

class advice : public contract {
protected:
    /// The text of the error that `action` throws must have all these parts.
    template <class Action>
    static void expect_text(Action action, const std::vector<std::string>& parts) {
        const auto text = complaint_of(action);
        for (const auto& part : parts) {
            EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
        }
    }
};
INSTANTIATE_TEST_SUITE_P(contract, advice, ::testing::ValuesIn(engines()),
                         [](const auto& engine) { return engine.param.name; });

TEST_P(advice, for_a_name_in_use_as_another_kind_of_lock) {
    HOLDFAST_NEEDS(can(primitive::shared_mutex).supported && can().checks_use);
    auto fleet = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    holdfast::shared_mutex prices{fleet, "stock"};
    expect_text([&] { (void)prices.try_acquire(); },
                {"shared_mutex \"stock\"", "in use as a mutex", "; use a name for one kind"});
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    holdfast::counting_semaphore slots{fleet, "stock", 2};
    expect_text([&] { (void)slots.available(); },
                {"in use as a mutex", "; use a name for one kind"});
}

TEST_P(advice, for_another_limit) {
    HOLDFAST_NEEDS(can(primitive::semaphore).supported && can().checks_use);
    auto fleet = connect();
    const auto held = holdfast::counting_semaphore{fleet, "slots", 3}.acquire();
    holdfast::counting_semaphore other{fleet, "slots", 5};
    expect_text([&] { (void)other.try_acquire(); },
                {"counting_semaphore \"slots\"", "limit 3", "; give all its users the same limit"});
}

TEST_P(advice, for_numbers_that_are_out_of_range) {
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    auto fleet = connect();
    holdfast::counting_semaphore slots{fleet, "slots", 3};
    expect_text([&] { (void)slots.acquire(-1); }, {"permits is 0 or negative; it must be from 1"});
    expect_text([&] { (void)slots.acquire(1LL << 40); }, {"permits is 4294967295; it must be"});
    expect_text([&] { slots.resize(0); }, {"limit is 0 or negative; it must be from 1 to 10000"});
    expect_text([&] { slots.resize(10'001); }, {"limit is 10001; it must be from 1 to 10000"});
}

TEST_P(advice, for_what_an_engine_does_not_have) {
    auto fleet = connect();
    holdfast::counting_semaphore slots{fleet, "slots", 3};
    if (!can(primitive::semaphore).supported) {
        expect_text([&] { (void)slots.acquire(); }, {"; use "});
        expect_text([&] { slots.resize(3); }, {"resize() of", "; use "});
    } else if (!can(primitive::semaphore).resizes) {
        expect_text([&] { slots.resize(3); }, {"; use "});
    }
    if (can().why_no_cells != nullptr) {
        const auto make_election = [&] { const holdfast::election none{fleet, "e"}; };
        expect_text(make_election, {"election \"e\"", "elections", "; use "});
        EXPECT_EQ(complaint_of(make_election).find("latch") == std::string::npos, can().latches);
    }
}

TEST_P(advice, for_readers_and_writers_that_lock_again) {
    HOLDFAST_NEEDS(can(primitive::shared_mutex).supported);
    auto fleet = connect();
    holdfast::shared_mutex prices{fleet, "prices"};
    {
        const std::shared_lock reading{prices};
        expect_text([&] { prices.lock_shared(); }, {"as a reader already", "unlock_shared()"});
        expect_text([&] { (void)prices.try_lock(); }, {"as a reader", "unlock_shared() it first"});
    }
    const std::scoped_lock writing{prices};
    expect_text([&] { prices.lock_shared(); }, {"as a writer", "downgrade()"});
    expect_text([&] { prices.lock(); }, {"as a writer already", "unlock() it first"});
}

TEST_P(advice, for_what_is_empty_or_not_there) {
    auto fleet = connect();
    holdfast::lease none;
    expect_text([&] { (void)none.token(); }, {"the lease is empty", "; acquire it first"});
    expect_text([&] { (void)none.release(); }, {"the lease is empty", "; acquire it first"});
    holdfast::leadership nobody;
    expect_text([&] { nobody.publish("x"); }, {"publish() of an empty one; campaign() first"});
    const auto set = holdfast::acquire_all(fleet, {"a", "b"});
    expect_text([&] { (void)set.owner("c"); }, {"does not have \"c\"; acquire_all()"});
}

TEST_P(advice, names_the_primitive) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto fleet = connect();
    expect_text(
        [&] {
            const holdfast::latch none{fleet, "start", 1, {.keep = 1ms}};
        },
        {"latch \"start\": keep is 1 ms; it must"});
    expect_text(
        [&] {
            const holdfast::once_flag none{fleet, "schema", {.keep = 1ms}};
        },
        {"once_flag \"schema\": keep is 1 ms; it must"});
    std::stop_source stopped;
    stopped.request_stop();
    holdfast::election leader{fleet, "leader"};
    expect_text([&] { (void)leader.campaign("x", {.stop = stopped.get_token()}); },
                {"election \"leader\": "});
    holdfast::once_flag schema{fleet, "schema"};
    expect_text(
        [&] {
            (void)holdfast::call_once(schema, [] { return ""; }, {.stop = stopped.get_token()});
        },
        {"once_flag \"schema\": "});
}

} // namespace
