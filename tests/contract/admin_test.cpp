// admin: inspect, list, renew, release and ping.
#include "contract/contract.hpp"
#include "holdfast/base/process.hpp"

#include <set>
#include <unistd.h>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::engine::op_status;
using holdfast::engine::queueing;

HOLDFAST_CONTRACT(admin);

/// All names, page by page. Fails on a page that is too long. `repeated`: listed twice.
std::set<std::string> walk_names(const holdfast::client& fleet, holdfast::list_options which,
                                 std::string& repeated) {
    std::set<std::string> names;
    for (int pages = 0; pages < 1000; ++pages) {
        const auto page = holdfast::admin{fleet}.list(which);
        EXPECT_LE(page.locks.size(), which.count);
        for (const auto& lock : page.locks) {
            if (!names.insert(lock.name).second) { repeated = lock.name; }
        }
        if (page.cursor.empty()) { return names; }
        which.cursor = page.cursor;
    }
    ADD_FAILURE() << "the list does not end";
    return names;
}

/// All names, each listed once. A Redis server may list one twice while it resizes its table, which
/// it does in the background: then the walk is made again.
std::set<std::string> names_of(const holdfast::client& fleet, const holdfast::list_options& which) {
    std::set<std::string> names;
    std::string repeated;
    const bool once = eventually([&] {
        repeated.clear();
        names = walk_names(fleet, which, repeated);
        return repeated.empty();
    });
    EXPECT_TRUE(once) << "twice: " << repeated;
    return names;
}

TEST_P(admin, inspect_shows_the_holder_its_note_and_since_when) {
    HOLDFAST_NEEDS(can().notes);
    auto fleet = connect();
    auto rival = connect();
    const auto before = std::chrono::system_clock::now();
    const auto held =
        holdfast::mutex{fleet, "stock"}.acquire({.lease = 20s, .note = "nightly report"});
    const auto after = std::chrono::system_clock::now();

    const auto seen = holdfast::admin{rival}.inspect("stock");
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->name, "stock");
    EXPECT_EQ(seen->kind, holdfast::primitive::mutex);
    EXPECT_TRUE(seen->waiters.empty());
    ASSERT_EQ(seen->holders.size(), 1U);
    const auto& holder = seen->holders.front();
    EXPECT_EQ(holder.owner, held.owner());
    EXPECT_EQ(holder.token, held.token());
    EXPECT_EQ(holder.mode, holdfast::mode::exclusive);
    EXPECT_EQ(holder.host, holdfast::base::host_name());
    EXPECT_EQ(holder.pid, ::getpid());
    EXPECT_EQ(holder.note, "nightly report");
    EXPECT_FALSE(holder.resting);
    EXPECT_GE(holder.since, before - 1s); // the engine's clock, which may not be ours
    EXPECT_LE(holder.since, after + 1s);
    EXPECT_GT(holder.remaining, 10s);
    EXPECT_LE(holder.remaining, 20s);
}

/// The holder's lease has expired, and the waiter says nothing: its turn has come.
void leave_a_silent_waiter(seam_client& gone, seam_client& silent, const std::string& name) {
    ASSERT_EQ(gone.acquire(gone.ticket(name), {.lease = 150ms}).status, op_status::granted);
    ASSERT_EQ(silent.acquire(silent.ticket(name), {.queue = queueing::grant}).status,
              op_status::queued);
    std::this_thread::sleep_for(250ms);
}

// On embedded each look showed the waiter as holder, with another token, which no break found.
TEST_P(admin, shows_one_token_for_each_hold) { // P3
    HOLDFAST_NEEDS(can().sees_waiters && can().fencing && can().queue == queueing::grant);
    seam_client gone{url()};
    seam_client silent{url()};
    leave_a_silent_waiter(gone, silent, "stock");
    auto fleet = connect();
    const holdfast::admin looking{fleet};
    std::set<std::uint64_t> shown;
    const auto look_at = [&](const holdfast::lock_info& lock) {
        EXPECT_EQ(lock.holders.size() + lock.waiters.size(), 1U);
        for (const auto& holder : lock.holders) { shown.insert(holder.token); }
    };
    for (int i = 0; i < 5; ++i) {
        const auto lock = looking.inspect("stock");
        ASSERT_TRUE(lock);
        look_at(*lock);
        const auto page = looking.list().locks;
        ASSERT_EQ(page.size(), 1U);
        look_at(page.front());
    }
    // Housekeeping may grant the waiter at any moment; till then nobody holds it.
    EXPECT_LE(shown.size(), 1U);
    for (const auto token : shown) {
        EXPECT_TRUE(looking.break_lock("stock", {.only_token = token}));
    }
}

TEST_P(admin, inspect_of_an_unused_name_is_empty) {
    auto fleet = connect();
    EXPECT_FALSE(holdfast::admin{fleet}.inspect("nobody"));
    std::error_code failure = errc::internal;
    EXPECT_FALSE(holdfast::admin{fleet}.inspect("nobody", failure));
    EXPECT_FALSE(failure);
}

TEST_P(admin, inspect_shows_the_waiters_in_order) { // P6
    HOLDFAST_NEEDS(can().fifo);
    auto fleet = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    std::vector<std::unique_ptr<background<void>>> waiters;
    for (const char* note : {"first", "second", "third"}) {
        waiters.push_back(std::make_unique<background<void>>([this, note](std::stop_token stop) {
            auto own = connect();
            (void)holdfast::mutex{own, "stock"}.try_acquire_for(long_wait,
                                                                {.note = note, .stop = stop});
        }));
        ASSERT_TRUE(will_wait("stock", waiters.size()));
    }
    const auto seen = look("stock").waiters;
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_EQ(seen[0].note, "first");
    EXPECT_EQ(seen[1].note, "second");
    EXPECT_EQ(seen[2].note, "third");
    for (const auto& waiter : seen) {
        EXPECT_EQ(waiter.token, 0U);
        EXPECT_EQ(waiter.pid, ::getpid());
        EXPECT_EQ(waiter.host, holdfast::base::host_name());
        EXPECT_LT(std::chrono::system_clock::now() - waiter.since, 1min);
    }
    for (auto& waiter : waiters) { waiter->stop(); }
}

TEST_P(admin, a_note_may_hold_any_bytes) {
    HOLDFAST_NEEDS(can().notes);
    auto fleet = connect();
    std::string note;
    for (int byte = 0; byte < 256; ++byte) { note.push_back(static_cast<char>(byte)); }
    const auto held = holdfast::mutex{fleet, "stock"}.acquire({.note = note});
    ASSERT_EQ(look("stock").holders.size(), 1U);
    EXPECT_EQ(look("stock").holders[0].note, note);
}

TEST_P(admin, list_returns_every_lock_once_with_any_page_size) { // P9
    HOLDFAST_NEEDS(can().lists);
    auto fleet = connect();
    std::vector<holdfast::lease> held;
    std::set<std::string> expected;
    for (int i = 0; i < 23; ++i) {
        const auto name = "stock:" + std::to_string(i);
        expected.insert(name);
        held.push_back(holdfast::mutex{fleet, name}.acquire());
    }
    for (const unsigned count : {1U, 5U, 23U, 1000U}) {
        EXPECT_EQ(names_of(fleet, {.count = count}), expected) << count;
    }
}

TEST_P(admin, list_matches_a_prefix_byte_by_byte) {
    HOLDFAST_NEEDS(can().lists);
    auto fleet = connect();
    std::vector<holdfast::lease> held;
    const std::vector<std::string> names{"a",   "ab",  "a%",  "a%b", "a_",    "a_c",      "a*",
                                         "a*d", "a?",  "a[",  "a]",  "a\\",   "b",        "A",
                                         "a{",  "a}x", "a\"", "a'",  "a\xff", {"a\0b", 3}};
    for (const auto& name : names) { held.push_back(holdfast::mutex{fleet, name}.acquire()); }
    for (const auto& prefix : names) {
        std::set<std::string> expected;
        for (const auto& name : names) {
            if (name.starts_with(prefix)) { expected.insert(name); }
        }
        EXPECT_EQ(names_of(fleet, {.prefix = prefix, .count = 3}), expected) << prefix;
    }
    EXPECT_TRUE(names_of(fleet, {.prefix = "c"}).empty());
}

TEST_P(admin, list_shows_what_inspect_shows) {
    HOLDFAST_NEEDS(can().lists);
    auto fleet = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire({.note = "why"});
    background waiter{[&](std::stop_token stop) {
        auto own = connect();
        (void)holdfast::mutex{own, "stock"}.try_acquire_for(long_wait, {.stop = stop});
    }};
    ASSERT_TRUE(will_wait("stock", 1));
    const auto page = holdfast::admin{fleet}.list();
    ASSERT_EQ(page.locks.size(), 1U);
    const auto& lock = page.locks.front();
    EXPECT_EQ(lock.name, "stock");
    ASSERT_EQ(lock.holders.size(), 1U);
    EXPECT_EQ(lock.holders.front().owner, held.owner());
    EXPECT_EQ(lock.holders.front().note, "why");
    EXPECT_EQ(lock.waiters.size(), can().sees_waiters ? 1U : 0U);
    EXPECT_EQ(lock.last_token, held.token());
    waiter.stop();
}

TEST_P(admin, invalid_arguments_are_errors_that_name_the_field) { // P9
    auto fleet = connect();
    const holdfast::admin operators{fleet};
    for (const unsigned count : {0U, 1001U}) {
        EXPECT_EQ(failure_of([&] { (void)operators.list({.count = count}); }),
                  errc::invalid_option);
        EXPECT_NE(complaint_of([&] { (void)operators.list({.count = count}); }).find("count"),
                  std::string::npos);
        std::error_code failure;
        (void)operators.list({.count = count}, failure);
        EXPECT_EQ(failure, errc::invalid_option);
    }
    for (const auto& name : {std::string{}, std::string(513, 'x')}) {
        EXPECT_EQ(failure_of([&] { (void)operators.inspect(name); }), errc::invalid_name);
        EXPECT_EQ(failure_of([&] { operators.break_lock(name); }), errc::invalid_name);
    }
}

TEST_P(admin, renews_and_releases_by_the_owner_s_id_with_and_without_an_error_code) {
    auto fleet = connect();
    const holdfast::admin operators{fleet};
    const auto owner = holdfast::mutex{fleet, "stock"}.acquire({.lease = 20s}).detach();
    std::error_code failure = errc::internal;
    EXPECT_TRUE(operators.renew("stock", owner, 30s, failure));
    EXPECT_FALSE(failure);
    EXPECT_FALSE(operators.renew("stock", owner, 1ms, failure));
    EXPECT_EQ(failure, errc::invalid_option);
    EXPECT_FALSE(operators.renew("stock", "nobody", 30s, failure));
    EXPECT_EQ(failure, errc::invalid_option);
    EXPECT_FALSE(operators.release("", owner, failure));
    EXPECT_EQ(failure, errc::invalid_name);
    EXPECT_TRUE(operators.release("stock", owner, failure));
    EXPECT_FALSE(failure);
    EXPECT_FALSE(operators.renew("stock", owner, 30s));
    EXPECT_FALSE(operators.break_lock("stock", failure));
    EXPECT_FALSE(failure);
}

TEST_P(admin, an_admin_outlives_its_client) {
    HOLDFAST_NEEDS(can().lists);
    std::optional<holdfast::client> fleet{connect()};
    const holdfast::admin operators{*fleet};
    fleet.reset();
    EXPECT_TRUE(operators.list().locks.empty());
}

TEST_P(admin, ping_returns_how_long_the_engine_took) {
    auto fleet = connect();
    EXPECT_GT(fleet.ping(), 0ns);
    std::error_code failure = errc::internal;
    EXPECT_GT(fleet.ping(failure), 0ns);
    EXPECT_FALSE(failure);
}

} // namespace
