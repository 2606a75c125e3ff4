// In a child of fork(), calls do not wait for the leader, which is a thread of the parent.

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace holdfast::test {
namespace {

constexpr int as_expected = 7;

/// Runs in the child; returns the exit status.
int use_and_destroy(std::unique_ptr<client> inherited) {
    ::alarm(20); // ends a child that hangs
    try {
        static_cast<void>(mutex{*inherited, "other"}.acquire());
        return 1;
    } catch (const std::system_error& failure) {
        if (failure.code() != errc::forked) { return 2; }
    }
    inherited.reset(); // its destructor leads in the parent
    return as_expected;
}

TEST(lead, does_not_block_a_child_of_fork) {
    client holder{"memory:lead_fork"};
    auto held = mutex{holder, "stock"}.acquire();
    auto waits = std::make_unique<client>("memory:lead_fork");
    bool served = false;
    std::jthread leader{[&] { served = mutex{*waits, "stock"}.acquire().valid(); }};
    const auto waiting = [&] {
        const auto found = admin{holder}.inspect("stock");
        return found && found->waiters.size() == 1;
    };
    while (!waiting()) { std::this_thread::yield(); }
    const auto child = ::fork();
    if (child == 0) { ::_exit(use_and_destroy(std::move(waits))); }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "it hung";
    EXPECT_EQ(WEXITSTATUS(status), as_expected);
    held.release();
    leader.join();
    EXPECT_TRUE(served) << "the parent goes on";
}

} // namespace
} // namespace holdfast::test
