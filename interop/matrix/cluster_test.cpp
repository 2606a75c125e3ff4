// Redisson and Holdfast on one Redis Cluster: they exclude each other on every node, and wake each
// other by its sharded messages, also after a slot has moved.

#include "drivers.hpp"
#include "lock_requests.hpp"
#include "matrix.hpp"
#include "server_keys.hpp"
#include "support/cluster_group.hpp"
#include "support/scratch_folder.hpp"

#include <fstream>
#include <memory>
#include <vector>

namespace holdfast::interop {

namespace {

/// Three masters, and a driver of each side. They live as long as the program.
struct shared_cluster {
    explicit shared_cluster(const client_under_test& client)
        : theirs{start_theirs(servers(), client)}, ours{start_ours(servers(), client)} {}

    [[nodiscard]] std::string servers() const {
        std::string out;
        for (const auto& node : group.nodes) {
            out += (out.empty() ? "cluster:" : ",") + std::to_string(node.port());
        }
        return out;
    }
    test::cluster_group group{{.replicas = 0, .node_timeout = 4 * test::long_wait}};
    std::unique_ptr<driver_process> theirs;
    std::unique_ptr<driver_process> ours;
};

} // namespace

class cluster : public testing::TestWithParam<client_under_test> {
protected:
    [[nodiscard]] static shared_cluster& all() {
        static shared_cluster one{GetParam()};
        return one;
    }
    [[nodiscard]] static driver_process& theirs() { return *all().theirs; }
    [[nodiscard]] static driver_process& ours() { return *all().ours; }
    [[nodiscard]] static test::cluster_group& group() { return all().group; }

    /// A lock on each of the masters.
    [[nodiscard]] static std::vector<lock_requests> lock_on_each() {
        std::vector<lock_requests> out;
        for (auto& node : group().nodes) {
            lock_requests lock;
            while (&group().master_of(lock.name()) != &node) { lock = lock_requests{}; }
            out.push_back(lock);
        }
        return out;
    }
    /// The waiter sleeps; the message of the release wakes it, long before the lease ends and
    /// mostly before it would ask again by itself.
    static void expect_wake_ups(const lock_requests& lock, driver_process& holder,
                                driver_process& waiter, const std::string& kind = "") {
        constexpr auto soon = test::scaled(120ms);
        std::vector<microseconds> times;
        for (int i = 0; i < 5; ++i) {
            ASSERT_EQ(holder.ask(lock.try_by("a", long_lease, kind)), "held");
            const auto waits = waiter.start(lock.wait_by("b", long_lease, 2 * long_lease, kind));
            EXPECT_FALSE(waits.answered_within(150ms));
            const auto start = std::chrono::steady_clock::now();
            ASSERT_EQ(holder.ask("release a"), "released");
            ASSERT_EQ(waits.text(2 * slack), "held");
            times.push_back(std::chrono::duration_cast<microseconds>(waits.at() - start));
            EXPECT_EQ(holder.ask(lock.try_by("a", long_lease, kind)), "busy");
            EXPECT_EQ(waiter.ask("release b"), "released");
        }
        EXPECT_LT(median(times), soon);
    }
};
INSTANTIATE_TEST_SUITE_P(interop, cluster, testing::ValuesIn(redisson_alone()), name_of);

TEST_P(cluster, wakes_each_side_of_a_read_write_lock_and_of_a_fair_one_on_every_node) {
    for (const auto& lock : lock_on_each()) {
        for (const std::string kind : {"write", "fair"}) {
            SCOPED_TRACE(lock.name() + " " + kind);
            expect_wake_ups(lock, theirs(), ours(), kind);
            expect_wake_ups(lock, ours(), theirs(), kind);
        }
    }
}

TEST_P(cluster, shares_readers_and_permits_on_every_node) {
    for (const auto& lock : lock_on_each()) {
        for (const std::string kind : {"read", "expirable", "semaphore"}) {
            SCOPED_TRACE(lock.name() + " " + kind);
            ASSERT_EQ(theirs().ask(lock.try_by("a", long_lease, kind)), "held");
            ASSERT_EQ(ours().ask(lock.try_by("b", long_lease, kind)), "held");
            if (kind != "read") {
                EXPECT_EQ(ours().ask(lock.try_by("c", long_lease, kind)), "busy");
            }
            EXPECT_EQ(ours().ask("release b"), "released");
            EXPECT_EQ(theirs().ask("release a"), "released");
            (void)group().master_of(lock.name()).command({"DEL", lock.name()});
        }
    }
}

TEST_P(cluster, keeps_each_side_out_of_the_others_locks_on_every_node) {
    for (const auto& lock : lock_on_each()) {
        ASSERT_EQ(ours().ask(lock.try_by("a")), "held");
        EXPECT_EQ(theirs().ask(lock.try_by("b")), "busy");
        EXPECT_EQ(theirs().ask("intrude " + lock.name()), "refused");
        EXPECT_EQ(ours().ask("release a"), "released");
        ASSERT_EQ(theirs().ask(lock.try_by("b")), "held");
        EXPECT_EQ(ours().ask(lock.try_by("a")), "busy");
        EXPECT_EQ(ours().ask("intrude " + lock.name()), "refused");
        EXPECT_EQ(theirs().ask("release b"), "released");
    }
}

TEST_P(cluster, wakes_their_waiter_by_our_release_on_every_node) {
    for (const auto& lock : lock_on_each()) { expect_wake_ups(lock, ours(), theirs()); }
}

TEST_P(cluster, wakes_our_waiter_by_their_release_on_every_node) {
    for (const auto& lock : lock_on_each()) { expect_wake_ups(lock, theirs(), ours()); }
}

TEST_P(cluster, wakes_waiters_of_both_sides_after_a_slot_has_moved) {
    const lock_requests lock;
    expect_wake_ups(lock, ours(), theirs());
    expect_wake_ups(lock, theirs(), ours());
    auto& from = group().master_of(lock.name());
    group().move_slot(group().slot_of(lock.name()), group().other_master(from));
    // Redisson asks for the slots twice a second here.
    ASSERT_TRUE(eventually([&] {
        const auto got = theirs().ask(lock.try_by("a"));
        return got == "held" && theirs().ask("release a") == "released";
    }));
    std::this_thread::sleep_for(1s);
    expect_wake_ups(lock, ours(), theirs());
    expect_wake_ups(lock, theirs(), ours());
}

TEST_P(cluster, renews_and_breaks_as_on_one_server) {
    const auto locks = lock_on_each();
    ASSERT_EQ(ours().ask(locks[0].try_by("a", watchdog_lease, "watchdog")), "held");
    ASSERT_EQ(theirs().ask(locks[1].try_by("b", watchdog_lease, "watchdog")), "held");
    for (stopwatch since; since.elapsed() < 2 * watchdog_lease;) {
        EXPECT_EQ(theirs().ask(locks[0].try_by("c")), "busy");
        EXPECT_EQ(ours().ask(locks[1].try_by("c")), "busy");
        std::this_thread::sleep_for(watchdog_lease / 5);
    }
    EXPECT_EQ(theirs().ask("force " + locks[0].name()), "broken");
    EXPECT_EQ(ours().ask("force " + locks[1].name()), "broken");
    EXPECT_EQ(ours().ask("release a"), "lost");
    EXPECT_EQ(theirs().ask("release b"), "lost");
}

TEST_P(cluster, counts_exactly_with_contenders_of_both_sides) {
    const lock_requests lock;
    const test::scratch_folder folder;
    const auto file = folder / "counter";
    std::ofstream{file} << 0;
    constexpr int each = 100;
    const auto request = "count " + lock.name() + " " + std::to_string(each) + " " + file;
    std::vector<pending> pending_counts;
    for (int i = 0; i < 3; ++i) {
        pending_counts.push_back(ours().start(request));
        pending_counts.push_back(theirs().start(request));
    }
    for (const auto& one : pending_counts) {
        EXPECT_EQ(one.text(5min), "done " + std::to_string(each));
    }
    int value = 0;
    std::ifstream{file} >> value;
    EXPECT_EQ(value, 6 * each) << "P1: two holders at once";
}

} // namespace holdfast::interop
