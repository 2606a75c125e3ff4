// After fork() the objects of the parent are inert in the child, and the parent is not affected.
#include "contract/contract.hpp"
#include "support/child.hpp"

#include <mutex>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;

HOLDFAST_CONTRACT(after_fork);

/// For a child, where EXPECT does not work: appends `step` to `wrong` unless `fine`.
void check(std::string& wrong, bool fine, const char* step) {
    if (!fine) { wrong += std::string{step} + "; "; }
}

TEST_P(after_fork, a_lease_is_not_valid_in_the_child_and_unharmed_in_the_parent) { // P4
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex theirs{rival, "stock"};
    std::optional held{holdfast::mutex{fleet, "stock"}.acquire({.lease = short_lease})};
    EXPECT_EQ(in_child([&] {
                  std::string wrong;
                  check(wrong, !held->valid(), "valid");
                  check(wrong, held->remaining() == 0ms, "time remains");
                  std::error_code failure;
                  held->extend(10s, failure);
                  check(wrong, failure == errc::forked, "extend");
                  held.reset(); // must not release
                  return wrong;
              }),
              "");
    EXPECT_TRUE(
        throughout(2 * short_lease, [&] { return held->valid() && !theirs.try_acquire(); }));
    EXPECT_EQ(held->release(), holdfast::release_answer::released);
    EXPECT_TRUE(theirs.try_acquire());
}

TEST_P(after_fork, release_in_the_child_is_an_error_and_releases_nothing) { // P4
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    EXPECT_EQ(in_child([&] {
                  std::error_code failure;
                  (void)held.release(failure);
                  return failure == errc::forked ? "" : "release: " + failure.message();
              }),
              "");
    EXPECT_TRUE(held.valid());
    EXPECT_EQ(look("stock").holders.size(), 1U);
}

TEST_P(after_fork, every_operation_of_the_child_fails_with_forked) { // P4
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    holdfast::mutex other{fleet, "other"};
    stock.lock();
    EXPECT_EQ(in_child([&] {
                  std::string wrong;
                  const auto forked = [&](auto action, const char* step) {
                      check(wrong, failure_of(action) == errc::forked, step);
                  };
                  forked([&] { stock.lock(); }, "lock what is held");
                  forked([&] { other.lock(); }, "lock what is free");
                  forked([&] { (void)other.try_lock(); }, "try_lock");
                  forked([&] { (void)other.acquire(); }, "acquire");
                  forked([&] { (void)other.try_acquire_for(1s); }, "try_acquire_for");
                  forked([&] { fleet.ping(); }, "ping");
                  forked([&] { (void)holdfast::admin{fleet}.list(); }, "list");
                  forked([&] { (void)holdfast::admin{fleet}.inspect("stock"); }, "inspect");
                  forked([&] { holdfast::admin{fleet}.break_lock("stock"); }, "break");
                  check(wrong, !stock.valid(), "valid");
                  stock.unlock(); // must do nothing
                  return wrong;
              }),
              "");
    EXPECT_TRUE(stock.valid());
    EXPECT_EQ(look("stock").holders.size(), 1U);
    stock.unlock();
    EXPECT_TRUE(will_be_clear("stock"));
}

// publish() said that the term was lost, downgrade() that nothing was held.
TEST_P(after_fork, the_other_primitives_fail_with_forked_in_the_child) { // P4
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto fleet = connect();
    holdfast::election scheduler{fleet, "scheduler"};
    auto term = scheduler.campaign("a");
    holdfast::latch start{fleet, "start", 2};
    holdfast::barrier round{fleet, "round", 2};
    holdfast::once_flag report{fleet, "report"};
    holdfast::shared_mutex prices{fleet, "prices"};
    prices.lock();
    auto set = holdfast::acquire_all(fleet, {"first", "second"});
    EXPECT_EQ(in_child([&] {
                  std::string wrong;
                  const auto forked = [&](auto action, const char* step) {
                      check(wrong, failure_of(action) == errc::forked, step);
                  };
                  forked([&] { term.publish("b"); }, "publish");
                  forked([&] { (void)scheduler.leader(); }, "leader");
                  forked([&] { (void)scheduler.campaign(); }, "campaign");
                  forked([&] { scheduler.observe({}, [](const auto&) {}); }, "observe");
                  forked([&] { (void)term.resign(); }, "resign");
                  forked([&] { start.count_down(); }, "count_down");
                  forked([&] { start.reset(); }, "reset of a latch");
                  forked([&] { round.arrive_and_wait(); }, "barrier");
                  forked([&] { holdfast::call_once(report, [] {}); }, "call_once");
                  forked([&] { report.reset(); }, "reset of a once_flag");
                  forked([&] { prices.downgrade(); }, "downgrade");
                  forked([&] { set.extend(10s); }, "extend of a set");
                  forked([&] { (void)set.release(); }, "release of a set");
                  return wrong;
              }),
              "");
    EXPECT_TRUE(term.valid());
    EXPECT_TRUE(set.valid());
    term.publish("c");
    EXPECT_EQ(scheduler.leader().value, "c");
    prices.unlock();
}

TEST_P(after_fork, destructors_in_the_child_do_nothing) { // P4
    auto fleet = std::make_unique<holdfast::client>(connect());
    auto stock = std::make_unique<holdfast::mutex>(*fleet, "stock");
    auto again = std::make_unique<holdfast::recursive_mutex>(*fleet, "again");
    auto held = std::make_unique<holdfast::lease>(holdfast::mutex{*fleet, "held"}.acquire());
    stock->lock();
    again->lock();
    EXPECT_EQ(in_child([&] {
                  held.reset();
                  again.reset();
                  stock.reset();
                  fleet.reset();
                  return std::string{};
              }),
              "");
    EXPECT_TRUE(stock->valid());
    EXPECT_TRUE(again->valid());
    EXPECT_TRUE(held->valid());
    for (const char* name : {"stock", "again", "held"}) {
        EXPECT_EQ(look(name).holders.size(), 1U) << name;
    }
    stock->unlock();
    again->unlock();
    EXPECT_EQ(held->release(), holdfast::release_answer::released);
}

TEST_P(after_fork, a_waiter_in_the_parent_is_still_served) { // P6
    auto fleet = connect();
    auto rival = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    background waiter{[&](std::stop_token stop) {
        return holdfast::mutex{rival, "stock"}.acquire({.stop = stop}).valid();
    }};
    ASSERT_TRUE(will_wait("stock", 1));
    EXPECT_EQ(in_child([] { return std::string{}; }), "");
    held.release();
    EXPECT_TRUE(waiter.get());
}

// Debug builds assert that no thread waits in a lock that is destroyed; this one is the parent's.
TEST_P(after_fork, a_lock_in_which_a_thread_of_the_parent_waits_may_be_destroyed) { // P4
    auto fleet = connect();
    auto rival = connect();
    auto held = holdfast::mutex{rival, "stock"}.acquire();
    std::optional<holdfast::mutex> stock{std::in_place, fleet, "stock"};
    background waiter{
        [&](std::stop_token stop) { return stock->acquire({.stop = std::move(stop)}).valid(); }};
    ASSERT_TRUE(will_wait("stock", 1));
    EXPECT_EQ(in_child([&] {
                  stock.reset();
                  return std::string{};
              }),
              "");
    held.release();
    EXPECT_TRUE(waiter.get()) << "the parent goes on";
}

TEST_P(after_fork, a_child_can_make_a_client_of_its_own) { // P1
    HOLDFAST_NEEDS(GetParam().across_processes);
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer allows no threads after a fork of a process with threads";
#else
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    EXPECT_EQ(in_child([&] {
                  std::string wrong;
                  auto own = connect();
                  check(wrong, !holdfast::mutex{own, "stock"}.try_acquire(), "took the parent's");
                  const auto other = holdfast::mutex{own, "other"}.try_acquire();
                  check(wrong, other && other->valid(), "cannot lock");
                  check(wrong, own.id() != fleet.id(), "same id");
                  return wrong;
              }),
              "");
    EXPECT_TRUE(held.valid());
    // The child ended without a release: its lock is free at once if the engine can detect that,
    // otherwise when the lease expires.
    if (can().frees_dead_at_once) { EXPECT_TRUE(will_be_clear("other", scaled(1s))); }
#endif
}

} // namespace
