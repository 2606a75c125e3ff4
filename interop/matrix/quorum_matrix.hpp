#pragma once
// Two sides and several servers: a foreign Redlock, and Holdfast's quorum in the plain layout.

#include "lock_requests.hpp"
#include "quorum_group.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::interop {

using test::eventually;
using test::stopwatch;

struct quorum_shape {
    std::size_t servers = 3;
    std::size_t dead = 0; ///< of them
};

struct quorum_case {
    client_under_test client;
    quorum_shape shape{};
};

/// Up to nine processes take part: a busy machine delays them more than the two of one server.
inline constexpr milliseconds quorum_slack = 4 * slack;

/// Whether the servers of a test live as long as the program, or the test may kill them itself.
enum class group_use { shared, own };

/// The tests of every foreign Redlock. Each has a lock of its own. Afterwards no key may be on a
/// server that lives but the documented ones.
class quorum_matrix : public testing::TestWithParam<quorum_case>, protected lock_requests {
protected:
    /// Shared servers: the dead ones of the shape are dead, and were in use before. Own: all live.
    explicit quorum_matrix(group_use use = group_use::shared);
    void TearDown() override;

    [[nodiscard]] quorum_group& group() { return *group_; }
    [[nodiscard]] driver_process& theirs() { return group_->theirs(); }
    [[nodiscard]] driver_process& ours() { return group_->ours(); }

    [[nodiscard]] std::string key() const { return GetParam().client.key_prefix + name(); }
    /// Whether the holder gets the votes of all servers that live. A majority is enough to hold it;
    /// the other votes follow.
    [[nodiscard]] bool is_held_everywhere() {
        return eventually([this] { return group_->votes(key()) == group_->live_count(); });
    }
    /// Soon: most release a lock without waiting for the slowest server.
    [[nodiscard]] bool becomes_free() {
        return eventually([this] { return group_->votes(key()) == 0; }, quorum_slack);
    }

    /// How long a waiter of theirs, or of ours, may take to notice that the lock is free.
    [[nodiscard]] milliseconds their_patience() const {
        return GetParam().client.polls + quorum_slack;
    }
    [[nodiscard]] milliseconds our_patience() const { return our_longest_poll + quorum_slack; }

private:
    std::unique_ptr<quorum_group> own_;
    quorum_group* group_; ///< own_, or the shared one
};

[[nodiscard]] std::vector<quorum_case> all_quorums(quorum_shape shape);

/// For INSTANTIATE_TEST_SUITE_P: `--gtest_filter='*/redsync'` are all tests of redsync.
[[nodiscard]] std::string name_of_quorum(const testing::TestParamInfo<quorum_case>& one);

// NOLINTNEXTLINE(readability-identifier-naming): gtest's
void PrintTo(const quorum_case& one, std::ostream* out);

} // namespace holdfast::interop

/// Instantiates a suite for every foreign Redlock over servers of one shape.
#define HOLDFAST_FOR_ALL_QUORUMS(prefix, suite, ...)                                               \
    INSTANTIATE_TEST_SUITE_P(prefix, suite, testing::ValuesIn(all_quorums(__VA_ARGS__)),           \
                             name_of_quorum)
