#pragma once
// The foreign clients and their capabilities. Tests assert both ways: a client without a capability
// must answer `unsupported`, and one that gains a capability makes a test fail.

#include "support/timing.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace holdfast::interop {

/// What the holder's second lock does.
enum class reentry {
    counted,   ///< must be released as often
    refreshes, ///< makes the lease whole; one release ends it
    refused,   ///< as anybody else's
};

/// What its own interface tells of a lock that somebody holds.
enum class telling { nothing, whether_held, time_left };

struct client_under_test {
    std::string name;         ///< its folder in interop/
    std::string layout;       ///< what Holdfast calls it
    std::string key_prefix{}; ///< what it writes before the names of locks
    reentry again = reentry::refused;
    telling tells = telling::nothing;
    bool watchdog = false;       ///< renews by itself
    bool renews = false;         ///< when it is told to
    bool forces = false;         ///< takes a lock from others
    bool fences = false;         ///< has tokens
    bool endless = false;        ///< has locks without an expiry
    bool quorum = false;         ///< takes several servers, and a majority of them decides
    test::milliseconds polls{0}; ///< the longest between two tries of a waiter; 0: is woken

    /// Letters, digits and underscores: ends the names of its tests.
    [[nodiscard]] std::string test_name() const;
};

[[nodiscard]] const std::vector<client_under_test>& all_clients();
[[nodiscard]] std::vector<client_under_test> redisson_alone();
[[nodiscard]] std::vector<client_under_test> quorum_clients();

// NOLINTNEXTLINE(readability-identifier-naming): gtest's
void PrintTo(const client_under_test& client, std::ostream* out);

} // namespace holdfast::interop
