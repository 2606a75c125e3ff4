// layout::plain: the keys it writes, and how it works together with other libraries.

#include "fault/redis_fixture.hpp"
#include "support/monitor.hpp"

#include <thread>

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The longest poll interval of a waiter, on a busy machine.
constexpr milliseconds a_look = 200ms + scaled(150ms);

class plain_layout : public redis_fault {
protected:
    [[nodiscard]] std::string value(const std::string& key = "stock") {
        const auto got = server.command({"GET", key});
        return got.is_nil() ? std::string{} : got.string();
    }
    [[nodiscard]] std::int64_t pttl(const std::string& key = "stock") {
        return server.command({"PTTL", key}).number();
    }
    /// Acts as a client of another library.
    [[nodiscard]] bool take_as_another(milliseconds ttl, const std::string& key = "stock") {
        return !server.command({"SET", key, "another", "NX", "PX", std::to_string(ttl.count())})
                    .is_nil();
    }

    client here{server.url()};
    client there{server.url()};
    const lock_options plain{.layout = layout::plain};
    const lock_options fenced{.layout = layout::plain, .fencing = true};
};

TEST_F(plain_layout, is_a_string_under_the_name_itself_with_the_owner_as_its_value) {
    auto held = mutex{here, "stock", {.lease = 10s, .layout = layout::plain}}.acquire();
    EXPECT_EQ(value(), held.owner());
    EXPECT_THAT(held.owner(), StartsWith(here.id()));
    EXPECT_GT(pttl(), 8'000);
    EXPECT_LE(pttl(), 10'000);
    EXPECT_THAT(keys(), ElementsAre("stock"));
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(keys().empty());
}

TEST_F(plain_layout, can_be_chosen_by_the_url_with_a_prefix) {
    const client by_url{server.url() + "?layout=plain&key_prefix=redlock:"};
    const auto held = mutex{by_url, "stock"}.acquire();
    EXPECT_THAT(keys(), ElementsAre("redlock:stock"));
    EXPECT_TRUE((mutex{by_url, "stock", {.layout = layout::native}}.try_acquire()))
        << "another layout is another lock";
}

TEST_F(plain_layout, takes_a_free_lock_with_one_command_and_no_script) {
    mutex lock{here, "stock", plain};
    lock.acquire().release(); // connects, and loads the scripts
    monitor seen{server};
    auto held = lock.acquire();
    EXPECT_THAT(seen.commands(), ElementsAre(AllOf(StartsWith("\"SET\" \"stock\""),
                                                   HasSubstr("\"NX\" \"PX\" \"30000\""))));
    held.release();
    EXPECT_THAT(seen.commands(), Contains(HasSubstr("EVALSHA")));
}

TEST_F(plain_layout, excludes_other_clients_and_is_excluded_by_them) {
    auto held = mutex{here, "stock", plain}.acquire();
    EXPECT_FALSE(take_as_another(10s));
    EXPECT_FALSE((mutex{there, "stock", plain}.try_acquire()));
    held.release();
    EXPECT_TRUE(take_as_another(10s));
    EXPECT_FALSE((mutex{there, "stock", plain}.try_acquire()));
    EXPECT_FALSE((mutex{there, "stock", plain}.try_acquire_for(300ms)));
    EXPECT_EQ(value(), "another");
    EXPECT_GT(pttl(), 9'000) << "its time was left as it is";
}

TEST_F(plain_layout, respects_the_time_of_another_holder_and_takes_over_when_it_ends) {
    ASSERT_TRUE(take_as_another(700ms));
    const stopwatch since;
    const auto held = mutex{here, "stock", plain}.acquire();
    EXPECT_GE(since.elapsed(), 690ms);
    EXPECT_LE(since.elapsed(), 700ms + scaled(150ms)) << "it knows when the other's time ends";
}

TEST_F(plain_layout, notices_the_release_of_another_library_by_polling) {
    ASSERT_TRUE(take_as_another(30s));
    auto waiting = wait_for(here, plain);
    EXPECT_FALSE(waiting.done_within(400ms));
    server.command({"DEL", "stock"});
    EXPECT_TRUE(waiting.done_within(a_look));
    EXPECT_EQ(value(), waiting.get().owner());
}

TEST_F(plain_layout, wakes_a_waiter_of_this_library_at_once_after_a_release) {
    const auto hand_over = quickest_of(5, [&] {
        auto held = mutex{here, "stock", plain}.acquire();
        auto waiting = wait_for(there, plain);
        std::this_thread::sleep_for(60ms);
        EXPECT_FALSE(waiting.done());
        const stopwatch since;
        held.release();
        auto got = waiting.get();
        const auto took = since.elapsed();
        got.release();
        return took;
    });
    EXPECT_LT(hand_over, scaled(20ms));
}

TEST_F(plain_layout, polls_at_bounded_random_intervals) {
    ASSERT_TRUE(take_as_another(60s));
    auto waiting = wait_for(here, plain);
    std::this_thread::sleep_for(100ms);
    monitor seen{server};
    std::this_thread::sleep_for(2s);
    const auto asked = seen.commands();
    EXPECT_GE(asked.size(), 5U) << "at least every 200 ms, but for a busy machine";
    EXPECT_LE(asked.size(), 21U) << "not more often than every 100 ms";
    server.command({"DEL", "stock"});
    (void)waiting.get();
}

TEST_F(plain_layout, cannot_be_released_or_renewed_once_another_holds_it) {
    const auto watch = std::make_shared<recording_observer>();
    const client watched{server.url(), {.observer = watch}};
    auto held = mutex{watched, "stock", {.lease = 600ms, .layout = layout::plain}}.acquire();
    server.command({"SET", "stock", "another", "PX", "30000"});
    ASSERT_TRUE(watch->await(event::kind::lost));
    EXPECT_FALSE(held.valid());
    EXPECT_EQ(held.release(), release_answer::already_lost);
    EXPECT_EQ(value(), "another");
    EXPECT_GT(pttl(), 25'000);
}

TEST_F(plain_layout, is_renewed_for_as_long_as_it_is_held) {
    const auto held =
        mutex{here, "stock", {.lease = scaled(300ms), .layout = layout::plain}}.acquire();
    EXPECT_TRUE(throughout(scaled(1s), [&] { return held.valid() && value() == held.owner(); }));
}

TEST_F(plain_layout, renewals_of_all_layouts_go_together) {
    const auto lease = scaled(400ms);
    const auto first = mutex{here, "a", {.lease = lease, .layout = layout::plain}}.acquire();
    const auto second = mutex{here, "b"}.acquire({.lease = lease});
    const auto third = mutex{here, "c", {.lease = lease, .layout = layout::redisson}}.acquire();
    EXPECT_TRUE(
        throughout(3 * lease, [&] { return first.valid() && second.valid() && third.valid(); }));
}

TEST_F(plain_layout, locking_again_in_the_same_thread_refreshes_and_is_not_counted) { // as go-zero
    mutex lock{here, "stock", {.lease = 10s, .renew = false, .layout = layout::plain}};
    lock.lock();
    server.command({"PEXPIRE", "stock", "3000"});
    EXPECT_TRUE(lock.try_lock());
    EXPECT_GT(pttl(), 8'000);
    server.command({"PEXPIRE", "stock", "3000"});
    lock.lock();
    EXPECT_GT(pttl(), 8'000);
    lock.unlock();
    EXPECT_TRUE(keys().empty()) << "one unlock is enough";
}

TEST_F(plain_layout, locking_again_after_another_took_it_is_refused) {
    mutex lock{here, "stock", {.lease = 10s, .layout = layout::plain}};
    lock.lock();
    server.command({"SET", "stock", "another", "PX", "30000"});
    EXPECT_FALSE(lock.try_lock());
    EXPECT_FALSE(lock.valid());
    EXPECT_EQ(value(), "another");
}

TEST_F(plain_layout, another_thread_is_not_let_in_by_the_same_object) { // P1
    mutex lock{here, "stock", plain};
    const std::scoped_lock held{lock};
    background other{[&](const std::stop_token&) { return lock.try_lock(); }};
    EXPECT_FALSE(other.get());
}

TEST_F(plain_layout, a_name_in_another_layout_is_another_lock_to_a_thread) {
    mutex lock{here, "stock", plain};
    mutex native{here, "stock", {.layout = layout::native}};
    const std::scoped_lock both{lock, native};
    EXPECT_TRUE(lock.valid());
    EXPECT_TRUE(native.valid());
}

TEST_F(plain_layout, recursion_is_counted_on_this_side) {
    recursive_mutex lock{here, "stock", plain};
    lock.lock();
    lock.lock();
    lock.unlock();
    EXPECT_FALSE(value().empty());
    lock.unlock();
    EXPECT_TRUE(value().empty());
}

TEST_F(plain_layout, recursion_in_another_layout_is_another_lock) {
    const client by_url{server.url() + "?layout=plain"};
    recursive_mutex usual{by_url, "stock"};
    recursive_mutex same{by_url, "stock", plain};
    recursive_mutex native{by_url, "stock", {.layout = layout::native}};
    usual.lock();
    same.lock();
    EXPECT_EQ(usual.count(), 2U);
    EXPECT_EQ(native.count(), 0U);
    native.lock();
    EXPECT_THAT(keys(), ElementsAre("hf:mark", "hf:{stock}", "stock"));
    native.unlock();
    same.unlock();
    usual.unlock();
    EXPECT_TRUE(value().empty());
}

TEST_F(plain_layout, without_fencing_has_no_token_and_says_so) {
    const auto held = mutex{here, "stock", plain}.acquire();
    const auto complaint = complaint_of([&] { (void)held.token(); });
    EXPECT_EQ(complaint.code, errc::unsupported);
    EXPECT_THAT(complaint.text, HasSubstr("fencing"));
}

TEST_F(plain_layout, with_fencing_has_tokens_that_rise_also_after_a_flush) { // P3
    std::uint64_t last = 0;
    for (int round = 0; round < 5; ++round) {
        if (round == 3) { server.flush_all(); }
        auto held = mutex{here, "stock", fenced}.acquire();
        EXPECT_GT(held.token(), last);
        last = held.token();
        EXPECT_THAT(keys(), ElementsAre("hf:token:{stock}", "stock"));
        EXPECT_GT(pttl("hf:token:{stock}"), 0);
        held.release();
    }
    EXPECT_THAT(keys(), ElementsAre("hf:token:{stock}"));
}

TEST_F(plain_layout, go_zero_and_redlock_have_their_times) {
    auto held = mutex{here, "stock", compat::go_zero(10s)}.acquire();
    EXPECT_GT(pttl(), 10'300);
    EXPECT_LE(pttl(), 10'500);
    held.release();
    EXPECT_EQ(compat::go_zero(0s).lease, 500ms);
    const auto options = compat::redlock(10s);
    EXPECT_EQ(options.margin, 102ms);
    held = mutex{here, "stock", options}.acquire();
    EXPECT_LE(held.remaining(), 10s - 102ms);
}

TEST_F(plain_layout, unsupported_options_are_errors_that_name_them) {
    const auto refuses = [](const char* word, auto action) {
        const auto complaint = complaint_of(action);
        EXPECT_EQ(complaint.code, errc::unsupported) << word;
        EXPECT_THAT(complaint.text, AllOf(HasSubstr(word), HasSubstr("layout plain"))) << word;
    };
    refuses("min_hold", [&] {
        (void)mutex{here, "stock", {.min_hold = 1s, .layout = layout::plain}}.try_acquire();
    });
    refuses("note", [&] {
        (void)mutex{here, "stock", {.note = "why", .layout = layout::plain}}.try_acquire();
    });
    refuses("shared_mutex", [&] { (void)shared_mutex{here, "stock", plain}.try_acquire(); });
    refuses("counting_semaphore", [&] {
        (void)counting_semaphore{here, "stock", 3, plain}.try_acquire(1);
    });
    refuses("list", [&] { (void)admin{here, layout::plain}.list(); });
    const client memory{"memory:plain"};
    EXPECT_EQ(complaint_of([&] {
                  (void)mutex{memory, "stock", plain}.try_acquire();
              }).code,
              errc::unsupported);
    EXPECT_EQ(complaint_of([&] {
                  (void)admin{memory, layout::plain}.inspect("stock");
              }).code,
              errc::unsupported);
    EXPECT_TRUE(keys().empty());
}

TEST_F(plain_layout, an_admin_sees_and_breaks_locks_of_others_and_ours) {
    const admin look_at{there, layout::plain};
    EXPECT_FALSE(look_at.inspect("stock"));
    EXPECT_FALSE(look_at.break_lock("stock"));
    ASSERT_TRUE(take_as_another(10s));
    auto seen = look_at.inspect("stock");
    ASSERT_TRUE(seen);
    ASSERT_EQ(seen->holders.size(), 1U);
    EXPECT_EQ(seen->holders[0].owner, "another");
    EXPECT_GT(seen->holders[0].remaining, 9s);
    EXPECT_TRUE(look_at.break_lock("stock"));

    const auto watch = std::make_shared<recording_observer>();
    const client watched{server.url(), {.observer = watch}};
    const auto held = mutex{watched, "stock", fenced}.acquire();
    seen = look_at.inspect("stock");
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->holders.at(0).owner, held.owner());
    EXPECT_EQ(seen->holders.at(0).token, held.token());
    EXPECT_FALSE(look_at.break_lock("stock", {.only_token = held.token() - 1}));
    const stopwatch since;
    EXPECT_TRUE(look_at.break_lock("stock", {.only_token = held.token()}));
    ASSERT_TRUE(watch->await(event::kind::lost));
    EXPECT_LT(since.elapsed(), scaled(2s)) << "it was told, long before its next renewal";
}

TEST_F(plain_layout, shows_a_lock_that_never_ends_as_such) { // redis-py without a timeout
    server.command({"SET", "stock", "another"});
    const auto seen = admin{here, layout::plain}.inspect("stock");
    ASSERT_TRUE(seen);
    EXPECT_THAT(seen->holders.at(0).note, HasSubstr("no expiry"));
    EXPECT_FALSE((mutex{here, "stock", plain}.try_acquire_for(300ms)));
}

TEST_F(plain_layout, whoever_knows_the_owner_may_renew_and_release) {
    auto held = mutex{here, "stock", plain}.acquire();
    const auto owner = held.detach();
    const admin by{there, layout::plain};
    EXPECT_TRUE(by.renew("stock", owner, 60s));
    EXPECT_GT(pttl(), 55'000);
    EXPECT_FALSE(by.release("stock", there.id() + ":1"));
    EXPECT_TRUE(by.release("stock", owner));
    EXPECT_TRUE(value().empty());
}

TEST_F(plain_layout, a_waiter_that_gives_up_leaves_nothing) { // P8
    ASSERT_TRUE(take_as_another(30s));
    EXPECT_FALSE((mutex{here, "stock", plain}.try_acquire_for(250ms)));
    EXPECT_THAT(keys(), ElementsAre("stock"));
    EXPECT_EQ(value(), "another");
    EXPECT_TRUE(eventually([&] {
        return server.command({"PUBSUB", "CHANNELS", "hf:free:*"}).items().empty();
    })) << "it listens no more";
}

TEST_F(plain_layout, the_next_waiter_is_served_when_the_first_gives_up) {
    auto held = mutex{here, "stock", plain}.acquire();
    auto first = wait_for(there, plain);
    std::this_thread::sleep_for(100ms);
    auto second = wait_for(there, plain);
    std::this_thread::sleep_for(100ms);
    first.stop();
    EXPECT_EQ(complaint_of([&] { (void)first.get(); }).code, errc::cancelled);
    const stopwatch since;
    held.release();
    (void)second.get();
    EXPECT_LT(since.elapsed(), scaled(300ms));
}

// Another library's holder has no token, although there was one before.
TEST_F(plain_layout, a_token_is_shown_and_broken_only_for_its_own_hold) { // P4
    std::uint64_t token = 0;
    {
        const auto held = mutex{here, "stock", fenced}.acquire();
        token = held.token();
    }
    ASSERT_TRUE(take_as_another(30s));
    const admin by{here, layout::plain};
    const auto seen = by.inspect("stock");
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->holders.at(0).token, 0U);
    EXPECT_EQ(seen->last_token, token);
    EXPECT_FALSE(by.break_lock("stock", {.only_token = token}));
    EXPECT_EQ(value(), "another");
}

} // namespace
} // namespace holdfast::test
