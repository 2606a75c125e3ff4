#pragma once
// Two sides and one server: a foreign client, and Holdfast in the client's layout.

#include "clients.hpp"
#include "driver_process.hpp"
#include "support/redis_server.hpp"
#include "support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::interop {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using test::eventually;
using test::stopwatch;

/// Leases that all clients can have. The short one is waited for, the long one is not.
inline constexpr milliseconds short_lease = 1500ms;
inline constexpr milliseconds long_lease = 30500ms;
inline constexpr milliseconds watchdog_lease = 1500ms;

/// What a busy machine may add to anything.
inline constexpr milliseconds slack = 500ms;

/// How long our waiter may take to notice a plain lock that was given up without a word to us.
inline constexpr milliseconds our_longest_poll = 200ms;

/// The folder where ./dev interop has put the foreign programs.
[[nodiscard]] std::string drivers();

/// The tests of every client. Drivers live as long as the program, the server, too; each test has a
/// lock of its own. Afterwards no key may be there but the documented ones.
class matrix : public testing::TestWithParam<client_under_test> {
protected:
    matrix();
    void TearDown() override;

    [[nodiscard]] static test::redis_server& server();
    [[nodiscard]] driver_process& theirs() const;
    [[nodiscard]] driver_process& ours() const;
    /// One more, which may be killed.
    [[nodiscard]] std::unique_ptr<driver_process> another_of_theirs() const;
    [[nodiscard]] std::unique_ptr<driver_process> another_of_ours() const;

    [[nodiscard]] const std::string& name() const { return name_; }
    /// `try HOLD NAME LEASE OPTIONS` and `acquire ... WAIT ...`, of this test's lock.
    [[nodiscard]] std::string try_by(const std::string& hold, milliseconds lease = long_lease,
                                     const std::string& options = "") const;
    [[nodiscard]] std::string wait_by(const std::string& hold, milliseconds lease = long_lease,
                                      milliseconds wait = 2 * long_lease,
                                      const std::string& options = "") const;
    [[nodiscard]] std::string ask() const { return "ask " + name_; }

    /// Of this test's lock, as the server says: -1 without end, -2 free.
    [[nodiscard]] static milliseconds time_left(const std::string& name);
    [[nodiscard]] milliseconds time_left() const { return time_left(name_); }
    [[nodiscard]] bool is_free() const { return time_left() == -2ms; }

    /// How long a waiter of theirs, or of ours, may take to notice that the lock is free.
    [[nodiscard]] milliseconds their_patience() const { return GetParam().polls + slack; }
    [[nodiscard]] milliseconds our_patience() const;

    /// From the moment that the holder is told to release until the waiter says that it has it.
    [[nodiscard]] microseconds wake_up(driver_process& holder, driver_process& waiter) const;

    [[nodiscard]] static std::vector<std::string> keys(const std::string& pattern = "*");
    /// Keys that no page documents, one per line.
    [[nodiscard]] static std::string undocumented_keys();

private:
    std::string name_;
};

[[nodiscard]] microseconds median(std::vector<microseconds> all);

/// For INSTANTIATE_TEST_SUITE_P: `--gtest_filter='*/redsync'` are all tests of redsync.
[[nodiscard]] std::string name_of(const testing::TestParamInfo<client_under_test>& one);

} // namespace holdfast::interop

/// Instantiates a suite for every client.
#define HOLDFAST_FOR_ALL_CLIENTS(suite)                                                            \
    INSTANTIATE_TEST_SUITE_P(interop, suite, testing::ValuesIn(all_clients()), name_of)
