// Each form of each primitive on memory:, where nothing but the form is slow.
#include "support/background.hpp"
#include "support/lock_families.hpp"
#include "support/timing.hpp"

#include <gtest/gtest.h>

namespace holdfast::test {
namespace {

template <class Family>
class lock_forms_behave : public testing::Test {
protected:
    /// Keeps everybody else out until it is destroyed.
    [[nodiscard]] lease hold_it() {
        if constexpr (std::is_same_v<typename Family::lock_type, counting_semaphore>) {
            return counting_semaphore{rival_, "name", family_.lock.max()}.acquire(
                family_.lock.max());
        } else {
            return typename Family::lock_type{rival_, "name"}.acquire();
        }
    }

    [[nodiscard]] static std::chrono::system_clock::time_point in(milliseconds wait) {
        return std::chrono::system_clock::now() + wait;
    }

    /// The result of a form as a bool, and the lock given back.
    template <class Form>
    [[nodiscard]] bool takes(Form form) {
        if constexpr (std::is_void_v<std::invoke_result_t<Form>>) {
            form();
            family_.give_back();
            return true;
        } else {
            auto result = form();
            const bool taken = static_cast<bool>(result);
            if constexpr (std::is_same_v<decltype(result), bool>) {
                if (taken) { family_.give_back(); }
            }
            return taken;
        }
    }

    template <class Form>
    [[nodiscard]] static std::error_code failure_of(Form form) {
        try {
            (void)form();
        } catch (const error& thrown) { return thrown.code(); }
        return {};
    }

    client here_{"memory:lock_forms_behave"};
    client rival_{"memory:lock_forms_behave"};
    Family family_{here_, {.lease = 20s, .note = "the lock's"}};
};

using families =
    testing::Types<lock_family<mutex>, lock_family<recursive_mutex>, lock_family<shared_mutex>,
                   lock_shared_family, acquire_family<mutex>, acquire_family<recursive_mutex>,
                   acquire_family<shared_mutex>, acquire_shared_family, permit_family,
                   permits_family>;
TYPED_TEST_SUITE(lock_forms_behave, families);

TYPED_TEST(lock_forms_behave, each_takes_a_free_lock_and_clears_the_error_code) {
    auto& family = this->family_;
    const acquire_options options{.note = "this call's"};
    std::error_code failure;
    const auto cleared = [&] { return !std::exchange(failure, errc::internal); };
    failure = errc::internal;
    EXPECT_TRUE(this->takes([&] { return family.take(); }));
    EXPECT_TRUE(this->takes([&] { return family.take(options); }));
    EXPECT_TRUE(this->takes([&] { return family.take(failure); }) && cleared());
    EXPECT_TRUE(this->takes([&] { return family.take(options, failure); }) && cleared());
    EXPECT_TRUE(this->takes([&] { return family.try_take(); }));
    EXPECT_TRUE(this->takes([&] { return family.try_take(options); }));
    EXPECT_TRUE(this->takes([&] { return family.try_take(failure); }) && cleared());
    EXPECT_TRUE(this->takes([&] { return family.try_take(options, failure); }) && cleared());
    EXPECT_TRUE(this->takes([&] { return family.try_take_for(1s); }));
    EXPECT_TRUE(this->takes([&] { return family.try_take_for(1s, options); }));
    EXPECT_TRUE(this->takes([&] { return family.try_take_for(1s, failure); }) && cleared());
    EXPECT_TRUE(this->takes([&] { return family.try_take_for(1s, options, failure); }) &&
                cleared());
    const auto soon = this->in(1s);
    EXPECT_TRUE(this->takes([&] { return family.try_take_until(soon); }));
    EXPECT_TRUE(this->takes([&] { return family.try_take_until(soon, options); }));
    EXPECT_TRUE(this->takes([&] { return family.try_take_until(soon, failure); }) && cleared());
    EXPECT_TRUE(this->takes([&] { return family.try_take_until(soon, options, failure); }) &&
                cleared());
}

TYPED_TEST(lock_forms_behave, the_call_s_options_change_only_what_they_name) {
    const admin operators{this->here_};
    const auto holder = [&] { return operators.inspect("name")->holders.at(0); };
    const auto check = [&](const std::string& note, milliseconds lease) {
        EXPECT_EQ(holder().note, note);
        EXPECT_GT(holder().remaining, lease - scaled(5s));
        EXPECT_LE(holder().remaining, lease);
    };
    const auto run = [&](auto form, const std::string& note, milliseconds lease) {
        if constexpr (std::is_void_v<decltype(form())>) {
            form();
            check(note, lease);
            this->family_.give_back();
        } else {
            const auto held = form();
            ASSERT_TRUE(held);
            check(note, lease);
        }
    };
    auto& family = this->family_;
    run([&] { return family.take(); }, "the lock's", 20s);
    run([&] { return family.take(acquire_options{.note = "mine"}); }, "mine", 20s);
    run([&] { return family.take(acquire_options{.lease = 60s}); }, "the lock's", 60s);
}

TYPED_TEST(lock_forms_behave, a_try_of_a_lock_that_is_held_gives_up_at_once_or_in_time) {
    const auto held = this->hold_it();
    auto& family = this->family_;
    std::error_code failure;
    const acquire_options options{.note = "impatient"};
    const stopwatch at_once;
    EXPECT_FALSE(family.try_take());
    EXPECT_FALSE(family.try_take(options));
    EXPECT_FALSE(family.try_take(failure));
    EXPECT_FALSE(family.try_take(options, failure));
    EXPECT_FALSE(failure) << "contention is not an error";
    EXPECT_LT(at_once.elapsed(), scaled(2s));
    const stopwatch in_time;
    EXPECT_FALSE(family.try_take_for(10ms));
    EXPECT_FALSE(family.try_take_for(10ms, options));
    EXPECT_FALSE(family.try_take_for(10ms, failure));
    EXPECT_FALSE(family.try_take_for(10ms, options, failure));
    EXPECT_FALSE(family.try_take_until(this->in(10ms)));
    EXPECT_FALSE(family.try_take_until(this->in(10ms), options));
    EXPECT_FALSE(family.try_take_until(this->in(10ms), failure));
    EXPECT_FALSE(family.try_take_until(this->in(10ms), options, failure));
    EXPECT_FALSE(failure);
    EXPECT_GE(in_time.elapsed(), 70ms); // the wall clock of _until may be stepped a little
    EXPECT_LT(in_time.elapsed(), scaled(4s));
}

TYPED_TEST(lock_forms_behave, a_stop_before_the_call_takes_nothing) {
    std::stop_source source;
    source.request_stop();
    const acquire_options options{.stop = source.get_token()};
    auto& family = this->family_;
    std::error_code failure;
    EXPECT_EQ(this->failure_of([&] { return family.take(options); }), errc::cancelled);
    EXPECT_FALSE(family.take(options, failure));
    EXPECT_EQ(failure, errc::cancelled);
    failure = errc::internal;
    EXPECT_FALSE(family.try_take(options));
    EXPECT_FALSE(family.try_take(options, failure));
    EXPECT_FALSE(failure);
    EXPECT_FALSE(family.try_take_for(1s, options));
    EXPECT_FALSE(family.try_take_for(1s, options, failure));
    EXPECT_FALSE(family.try_take_until(this->in(1s), options));
    EXPECT_FALSE(family.try_take_until(this->in(1s), options, failure));
    EXPECT_FALSE(failure);
    EXPECT_FALSE(admin{this->here_}.inspect("name"));
}

TYPED_TEST(lock_forms_behave, a_stop_ends_a_wait) {
    const auto held = this->hold_it();
    auto& family = this->family_;
    const auto stopped = [&](auto form) {
        background waiting{
            [&](std::stop_token stop) { return form(acquire_options{.stop = stop}); }};
        EXPECT_TRUE(eventually([&] {
            const auto lock = admin{this->here_}.inspect("name");
            return lock && lock->waiters.size() == 1;
        }));
        waiting.stop();
        return waiting.get();
    };
    std::error_code failure;
    EXPECT_EQ(stopped([&](const acquire_options& options) {
                  return this->failure_of([&] { return family.take(options); });
              }),
              errc::cancelled);
    EXPECT_FALSE(stopped([&](const acquire_options& options) {
        return static_cast<bool>(family.take(options, failure));
    }));
    EXPECT_EQ(failure, errc::cancelled);
    EXPECT_FALSE(stopped([&](const acquire_options& options) {
        return static_cast<bool>(family.try_take_for(long_wait, options, failure));
    }));
    EXPECT_FALSE(failure);
    EXPECT_FALSE(stopped([&](const acquire_options& options) {
        return static_cast<bool>(family.try_take_until(this->in(long_wait), options));
    }));
}

TYPED_TEST(lock_forms_behave, bad_options_are_refused_and_an_error_code_keeps_them_from_throwing) {
    const acquire_options bad{.lease = 1ms};
    auto& family = this->family_;
    const auto refused = [&](auto form) {
        return this->failure_of([&] { return form(); }) == errc::invalid_option;
    };
    EXPECT_TRUE(refused([&] { return family.take(bad); }));
    EXPECT_TRUE(refused([&] { return family.try_take(bad); }));
    EXPECT_TRUE(refused([&] { return family.try_take_for(1s, bad); }));
    EXPECT_TRUE(refused([&] { return family.try_take_until(this->in(1s), bad); }));
    std::error_code failure;
    const auto told = [&] { return std::exchange(failure, {}) == errc::invalid_option; };
    EXPECT_NO_THROW({
        EXPECT_TRUE(!family.take(bad, failure) && told());
        EXPECT_TRUE(!family.try_take(bad, failure) && told());
        EXPECT_TRUE(!family.try_take_for(1s, bad, failure) && told());
        EXPECT_TRUE(!family.try_take_until(this->in(1s), bad, failure) && told());
    });
}

TYPED_TEST(lock_forms_behave, empty_braces_mean_the_options) {
    auto& lock = this->family_.lock;
    EXPECT_TRUE(lock.acquire({}).valid());
    EXPECT_TRUE(lock.try_acquire({}));
    EXPECT_TRUE(lock.try_acquire_for(1s, {}));
}

} // namespace
} // namespace holdfast::test
