// Static objects are destroyed after the main thread's thread_local ones, and may still use locks.

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace holdfast::test {
namespace {

/// Locks once more in its destructor, as for a last flush, and says so.
class last_flush {
public:
    explicit last_flush(mutex& lock) : lock_{lock} {}
    last_flush(const last_flush&) = delete;
    last_flush& operator=(const last_flush&) = delete;
    ~last_flush() {
        const std::scoped_lock held{lock_};
        std::fputs(lock_.valid() ? "flushed\n" : "not valid\n", stderr);
    }

private:
    mutex& lock_;
};

/// Prints its events.
class printer final : public observer {
public:
    void on_event(const event& event) noexcept override {
        std::fprintf(stderr, "event %s\n", to_string(event.type));
    }
};

[[noreturn]] void exit_with_a_last_flush() {
    static const client fleet{"memory:static_lock"};
    static mutex stock{fleet, "stock"};
    static mutex order{fleet, "order"};
    static const last_flush last{stock};
    { const std::scoped_lock held{stock, order}; }
    std::exit(0); // NOLINT(concurrency-mt-unsafe): of a process of its own
}

[[noreturn]] void exit_with_a_lock() {
    static const client fleet{"memory:static_lock", {.observer = std::make_shared<printer>()}};
    static mutex stock{fleet, "stock"};
    static std::unique_lock<mutex> held{stock};
    std::exit(0); // NOLINT(concurrency-mt-unsafe)
}

TEST(static_lock_death_test, a_static_object_may_lock_in_its_destructor) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(exit_with_a_last_flush(), testing::ExitedWithCode(0), "flushed");
}

TEST(static_lock_death_test, a_lock_that_a_static_object_holds_at_exit_is_lost) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(exit_with_a_lock(), testing::ExitedWithCode(0), "event thread_exited");
}

} // namespace
} // namespace holdfast::test
