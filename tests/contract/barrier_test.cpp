// A barrier across clients.
#include "contract/contract.hpp"

#include <atomic>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::barrier;
using holdfast::errc;

HOLDFAST_CONTRACT(barriers);

TEST_P(barriers, let_all_meet_again_and_again) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    constexpr unsigned threads = 4;
    constexpr unsigned rounds = 8;
    std::atomic<unsigned> arrived{0};
    std::atomic<unsigned> wrong{0};
    {
        std::vector<std::jthread> all;
        for (unsigned i = 0; i < threads; ++i) {
            all.emplace_back([&] {
                auto own = connect();
                barrier round{own, "round", threads};
                for (unsigned at = 1; at <= rounds; ++at) {
                    ++arrived;
                    round.arrive_and_wait();
                    const auto now = arrived.load();
                    if (now < threads * at || now > threads * (at + 1)) { ++wrong; }
                }
            });
        }
    }
    EXPECT_EQ(wrong.load(), 0U);
    EXPECT_EQ(arrived.load(), threads * rounds);
}

TEST_P(barriers, count_a_participant_once_per_phase) { // P5
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    barrier here{mine, "round", 2};
    barrier there{mine, "round", 2};
    const auto first = here.arrive();
    const auto again = here.arrive();
    EXPECT_FALSE(here.wait_for(first, 20ms));
    const auto last = there.arrive();
    EXPECT_TRUE(here.wait_for(first, 5s));
    EXPECT_TRUE(here.wait_for(again, 5s));
    there.wait(last);
    const auto next = here.arrive();
    EXPECT_FALSE(here.wait_for(next, 20ms));
    (void)there.arrive({.id = "somebody else"});
    here.wait(next);
}

TEST_P(barriers, fail_those_that_wait_when_they_are_forgotten) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    barrier round{mine, "round", 2, {.keep = 1s}};
    const auto arrival = round.arrive();
    EXPECT_EQ(failure_of([&] { round.wait(arrival); }), errc::lost);
}

TEST_P(barriers, can_be_stopped) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    barrier round{mine, "round", 2};
    std::stop_source stop;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(50ms);
        stop.request_stop();
    }};
    EXPECT_EQ(failure_of([&] { round.arrive_and_wait({.stop = stop.get_token()}); }),
              errc::cancelled);
}

TEST_P(barriers, say_whether_an_arrival_that_is_stopped_counts) { // P5
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    barrier here{mine, "round", 2};
    barrier there{mine, "round", 2};
    std::stop_source early;
    early.request_stop();
    const auto not_sent = complaint_of([&] { here.arrive_and_wait({.stop = early.get_token()}); });
    EXPECT_NE(not_sent.find("this call has not arrived"), std::string::npos) << not_sent;
    EXPECT_EQ(failure_of([&] { (void)here.arrive({.stop = early.get_token()}); }), errc::cancelled);
    const auto first = there.arrive();
    EXPECT_FALSE(there.wait_for(first, 20ms)) << "it has arrived";

    std::stop_source late;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(100ms);
        late.request_stop();
    }};
    here.arrive_and_wait();
    const auto counted = complaint_of([&] { here.arrive_and_wait({.stop = late.get_token()}); });
    EXPECT_NE(counted.find("the arrival counts"), std::string::npos) << counted;
    there.arrive_and_wait(); // ends the phase
}

TEST_P(barriers, refuse_what_makes_no_sense) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    barrier round{mine, "round", 2};
    (void)round.arrive();
    barrier other{mine, "round", 3};
    EXPECT_EQ(failure_of([&] { (void)other.arrive(); }), errc::wrong_limit);
    EXPECT_EQ(failure_of([&] { const barrier none{mine, "round", 0}; }), errc::invalid_option);
}

TEST_P(barriers, with_another_count_than_that_of_the_others_fail_to_wait) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    barrier round{mine, "round", 2};
    const auto arrival = round.arrive();
    const barrier wrong{mine, "round", 3};
    EXPECT_EQ(failure_of([&] { (void)wrong.wait_for(arrival, 10s); }), errc::wrong_limit);
    EXPECT_EQ(failure_of([&] { wrong.wait(arrival); }), errc::wrong_limit);
    EXPECT_TRUE(barrier(mine, "round", 2).wait_for(arrival, 0s) == false) << "as before";
}

TEST_P(barriers, refuse_a_token_that_is_not_of_one_of_their_arrivals) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    barrier round{mine, "round", 1};
    barrier other{mine, "other", 1};
    const auto arrival = round.arrive();
    const auto foreign = other.arrive();
    const barrier::arrival_token empty;
    for (const auto& token : {foreign, empty}) {
        EXPECT_EQ(failure_of([&] { round.wait(token); }), errc::invalid_option);
        std::error_code failure;
        EXPECT_FALSE(round.wait_for(token, 10s, {}, failure));
        EXPECT_EQ(failure, errc::invalid_option);
    }
    const auto text = complaint_of([&] { round.wait(foreign); });
    EXPECT_NE(text.find("one of another barrier; pass"), std::string::npos) << text;
    EXPECT_TRUE(barrier(mine, "round", 1).wait_for(arrival, 5s)) << "any object of the name";
}

} // namespace
