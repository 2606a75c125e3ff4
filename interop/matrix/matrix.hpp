#pragma once
// Two sides and one server: a foreign client, and Holdfast in the client's layout.

#include "clients.hpp"
#include "drivers.hpp"
#include "lock_requests.hpp"
#include "server_keys.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::interop {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using test::eventually;
using test::stopwatch;

/// The tests of every client. Drivers live as long as the program, the server, too; each test has a
/// lock of its own. Afterwards no key may be there but the documented ones.
class matrix : public testing::TestWithParam<client_under_test>, protected lock_requests {
protected:
    void TearDown() override;

    [[nodiscard]] static test::redis_server& server();
    [[nodiscard]] driver_process& theirs() const;
    [[nodiscard]] driver_process& ours() const;
    /// One more, which may be killed.
    [[nodiscard]] std::unique_ptr<driver_process> another_of_theirs() const;
    [[nodiscard]] std::unique_ptr<driver_process> another_of_ours() const;

    /// Of this test's lock, as the server says: -1 without end, -2 free.
    [[nodiscard]] milliseconds time_left() const {
        return time_to_live(server(), GetParam().key_prefix + name());
    }
    [[nodiscard]] bool is_free() const { return time_left() == -2ms; }

    /// How long a waiter of theirs, or of ours, may take to notice that the lock is free.
    [[nodiscard]] milliseconds their_patience() const { return GetParam().polls + slack; }
    [[nodiscard]] milliseconds our_patience() const;

    /// From the moment that the holder is told to release until the waiter says that it has it.
    [[nodiscard]] microseconds wake_up(driver_process& holder, driver_process& waiter) const;
};

[[nodiscard]] microseconds median(std::vector<microseconds> all);

/// For INSTANTIATE_TEST_SUITE_P: `--gtest_filter='*/redsync'` are all tests of redsync.
[[nodiscard]] std::string name_of(const testing::TestParamInfo<client_under_test>& one);

} // namespace holdfast::interop

/// Instantiates a suite for every client.
#define HOLDFAST_FOR_ALL_CLIENTS(suite)                                                            \
    INSTANTIATE_TEST_SUITE_P(interop, suite, testing::ValuesIn(all_clients()), name_of)
