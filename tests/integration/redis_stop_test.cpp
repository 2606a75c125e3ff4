// A stop while the server cannot be reached.

#include "support/free_port.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <stop_token>
#include <string>
#include <thread>

namespace holdfast::test {
namespace {

/// Runs `action`, requests a stop after a while, and returns the error's code and text.
std::string result_when_stopped(const std::function<void(const std::stop_token&)>& action) {
    std::stop_source stop;
    const std::jthread stopper{[&] {
        std::this_thread::sleep_for(300ms);
        stop.request_stop();
    }};
    const stopwatch spent;
    std::string out = "no error";
    try {
        action(stop.get_token());
    } catch (const error& failure) {
        out = std::string{to_string(static_cast<errc>(failure.code().value()))} + ": " +
              failure.what();
    }
    EXPECT_LT(spent.elapsed(), 300ms + scaled(500ms)) << out;
    return out;
}

// Its text said why the server could not be reached; observe() and call_once() went on for 5 s.
TEST(unreachable, ends_every_wait_at_a_stop_as_cancelled) {
    const client fleet{"redis://127.0.0.1:" + std::to_string(free_port())};
    const election scheduler{fleet, "scheduler"};
    once_flag report{fleet, "report"};
    latch start{fleet, "start", 2};
    barrier round{fleet, "round", 2};
    EXPECT_EQ(result_when_stopped([&](const std::stop_token& stop) {
                  scheduler.observe(stop, [](const leader_state&) {});
              }),
              "no error");
    EXPECT_EQ(result_when_stopped(
                  [&](const std::stop_token& stop) { call_once(report, [] {}, {.stop = stop}); }),
              "cancelled: once_flag \"report\": the wait was cancelled; nothing is held");
    EXPECT_EQ(result_when_stopped([&](const std::stop_token& stop) { start.wait({.stop = stop}); }),
              "cancelled: latch \"start\": the wait was cancelled; nothing is held");
    const std::string not_arrived = "the stop came first: this call has not arrived";
    EXPECT_EQ(result_when_stopped(
                  [&](const std::stop_token& stop) { start.arrive_and_wait(1, {.stop = stop}); }),
              "cancelled: latch \"start\": " + not_arrived);
    EXPECT_EQ(result_when_stopped(
                  [&](const std::stop_token& stop) { round.arrive_and_wait({.stop = stop}); }),
              "cancelled: barrier \"round\": " + not_arrived);
}

} // namespace
} // namespace holdfast::test
