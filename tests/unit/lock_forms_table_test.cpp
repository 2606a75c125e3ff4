// All primitives have the same forms: this file does not compile if one is missing.
#include "support/lock_families.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <shared_mutex>

namespace holdfast::test {
namespace {

using std::same_as;

/// take, try_take, try_take_for, try_take_until; each bare, with options, with an error code, with
/// both.
template <class Family>
concept has_every_form = requires(Family& family, const acquire_options& options,
                                  std::error_code& failure, std::chrono::milliseconds wait,
                                  std::chrono::system_clock::time_point deadline) {
    { family.take() } -> same_as<typename Family::taken>;
    { family.take(options) } -> same_as<typename Family::taken>;
    { family.take(failure) } -> same_as<typename Family::taken_or_failed>;
    { family.take(options, failure) } -> same_as<typename Family::taken_or_failed>;
    { family.try_take() } -> same_as<typename Family::tried>;
    { family.try_take(options) } -> same_as<typename Family::tried>;
    { family.try_take(failure) } -> same_as<typename Family::tried>;
    { family.try_take(options, failure) } -> same_as<typename Family::tried>;
    { family.try_take_for(wait) } -> same_as<typename Family::tried>;
    { family.try_take_for(wait, options) } -> same_as<typename Family::tried>;
    { family.try_take_for(wait, failure) } -> same_as<typename Family::tried>;
    { family.try_take_for(wait, options, failure) } -> same_as<typename Family::tried>;
    { family.try_take_until(deadline) } -> same_as<typename Family::tried>;
    { family.try_take_until(deadline, options) } -> same_as<typename Family::tried>;
    { family.try_take_until(deadline, failure) } -> same_as<typename Family::tried>;
    { family.try_take_until(deadline, options, failure) } -> same_as<typename Family::tried>;
};

static_assert(has_every_form<lock_family<mutex>>);
static_assert(has_every_form<lock_family<recursive_mutex>>);
static_assert(has_every_form<lock_family<shared_mutex>>);
static_assert(has_every_form<lock_shared_family>);
static_assert(has_every_form<acquire_family<mutex>>);
static_assert(has_every_form<acquire_family<recursive_mutex>>);
static_assert(has_every_form<acquire_family<shared_mutex>>);
static_assert(has_every_form<acquire_shared_family>);
static_assert(has_every_form<permit_family>);
static_assert(has_every_form<permits_family>);

/// Shows that the concept can fail: std's forms have no options.
struct std_family : locking {
    using lock_type = std::timed_mutex;
    void take();
    bool try_take();
    bool try_take_for(std::chrono::milliseconds wait);
    bool try_take_until(std::chrono::system_clock::time_point deadline);
};
static_assert(!has_every_form<std_family>);

/// The queries of a thread about its hold.
template <class Lock>
concept knows_its_hold = requires(Lock& lock, const Lock& same) {
    { same.token() } -> same_as<std::uint64_t>;
    { same.lost() } -> same_as<std::stop_token>;
    { same.valid() }
    noexcept->same_as<bool>;
    { same.name() }
    noexcept->same_as<const std::string&>;
    { lock.unlock() }
    noexcept;
};
static_assert(knows_its_hold<mutex> && knows_its_hold<recursive_mutex> &&
              knows_its_hold<shared_mutex>);

/// Access that only the library has.
template <class Class>
concept shows_its_core = requires(const Class& object) {
    object.core();
};
static_assert(!shows_its_core<client>);
static_assert(!std::is_constructible_v<lease, std::shared_ptr<core::client_core>,
                                       std::shared_ptr<core::hold>>);
static_assert(std::is_move_constructible_v<lease> && !std::is_copy_constructible_v<lease>);

TEST(lock_forms, work_with_the_lock_guards_of_std) {
    client fleet{"memory:forms_guards"};
    mutex first{fleet, "first"};
    recursive_mutex second{fleet, "second"};
    shared_mutex third{fleet, "third"};
    {
        const std::scoped_lock all{first, second, third};
        EXPECT_TRUE(first.valid() && second.valid() && third.valid());
    }
    const std::shared_lock reading{third};
    const std::unique_lock waiting{first, std::chrono::seconds{1}};
    EXPECT_TRUE(waiting.owns_lock());
}

} // namespace
} // namespace holdfast::test
