// Clients of one file: exclusion, order and hand-off, within a process and across.

#include "embedded_support.hpp"

#include <gtest/gtest.h>

namespace holdfast::test {
namespace {

using engine::fate;
using engine::queueing;

TEST(embedded, two_clients_exclude_each_other) {
    const scratch_folder folder;
    asker one{folder / "locks.db"};
    asker two{folder / "locks.db"};
    const auto first = one.acquire("n", 1);
    ASSERT_EQ(first.what, fate::granted) << first.detail;
    EXPECT_EQ(two.acquire("n", 1).what, fate::busy);
    EXPECT_EQ(two.release("n", 1).what, fate::not_held);
    EXPECT_EQ(one.release("n", 1).what, fate::released);
    const auto second = two.acquire("n", 2);
    ASSERT_EQ(second.what, fate::granted);
    EXPECT_GT(second.token, first.token);
}

TEST(embedded, a_release_hands_over_and_the_waiter_hears_of_it) {
    const scratch_folder folder;
    asker one{folder / "locks.db"};
    asker two{folder / "locks.db"};
    ASSERT_EQ(one.acquire("n", 1).what, fate::granted);
    ASSERT_EQ(two.acquire("n", 7, queueing::grant).what, fate::queued);
    ASSERT_EQ(one.release("n", 1).what, fate::handed_off);
    const auto heard = two.hear();
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->what, engine::notice::kind::granted);
    EXPECT_EQ(heard->number, 7U);
    EXPECT_EQ(heard->token, two.inspect("n").last_token);
    EXPECT_EQ(two.beat("n", 7, false).what, fate::renewed);
}

TEST(embedded, a_waiter_of_the_same_client_hears_of_its_grant_too) {
    const scratch_folder folder;
    asker one{folder / "locks.db"};
    ASSERT_EQ(one.acquire("n", 1).what, fate::granted);
    ASSERT_EQ(one.acquire("n", 2, queueing::grant).what, fate::queued);
    ASSERT_EQ(one.release("n", 1).what, fate::handed_off);
    ASSERT_EQ(one.notices.size(), 1U);
    EXPECT_EQ(one.notices.front().number, 2U);
}

TEST(embedded, a_lost_notice_is_made_up_for_by_the_next_beat) {
    const scratch_folder folder;
    asker one{folder / "locks.db"};
    asker two{folder / "locks.db"};
    ASSERT_EQ(one.acquire("n", 1).what, fate::granted);
    ASSERT_EQ(two.acquire("n", 1, queueing::grant).what, fate::queued);
    // As if the releasing process had been killed between its commit and the message.
    ::unlink((folder / "locks.db-inbox/" + two.who.client.text()).c_str());
    ASSERT_EQ(one.release("n", 1).what, fate::handed_off);
    EXPECT_FALSE(two.hear(20ms));
    EXPECT_EQ(two.beat("n", 1, true).what, fate::granted);
}

TEST(embedded, serves_processes_in_the_order_in_which_they_asked) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    asker one{path};
    ASSERT_EQ(one.acquire("n", 1).what, fate::granted);
    std::vector<std::unique_ptr<child>> waiters;
    for (int number = 0; number < 4; ++number) {
        waiters.push_back(std::make_unique<child>([&](const child::mouth& to) {
            asker me{path};
            to.say(me.acquire("n", 1, queueing::grant).what == fate::queued ? "queued" : "no");
            to.say(me.hear(20s) ? "granted" : "nothing");
            to.listen();
            to.say(me.release("n", 1).what == fate::not_held ? "not held" : "released");
        }));
        ASSERT_EQ(waiters.back()->hear(), "queued");
    }
    EXPECT_EQ(one.inspect("n").waiters.size(), 4U);
    ASSERT_EQ(one.release("n", 1).what, fate::handed_off);
    for (auto& each : waiters) {
        EXPECT_EQ(each->hear(), "granted");
        each->answer();
        EXPECT_EQ(each->hear(), "released");
        EXPECT_EQ(each->wait(), 0);
    }
}

TEST(embedded, a_thousand_wait_and_are_served_in_order) {
    const scratch_folder folder;
    asker one{folder / "locks.db"};
    asker two{folder / "locks.db"};
    constexpr std::uint64_t many = 1000;
    ASSERT_EQ(one.acquire("n", 1).what, fate::granted);
    for (std::uint64_t number = 1; number <= many; ++number) {
        const auto said = two.acquire("n", number, queueing::grant);
        ASSERT_EQ(said.what, fate::queued);
        ASSERT_EQ(said.ahead, number - 1);
    }
    EXPECT_EQ(two.beat("n", 5, true).ahead, 4U);
    EXPECT_EQ(two.beat("n", many, true).ahead, many - 1);
    ASSERT_EQ(two.ask(engine::withdraw_op{two.mine("n", 500)}).what, fate::released);
    ASSERT_EQ(one.release("n", 1).what, fate::handed_off);
    for (std::uint64_t number = 1; number <= many; ++number) {
        if (number == 500) { continue; }
        const auto heard = two.hear();
        ASSERT_TRUE(heard);
        ASSERT_EQ(heard->number, number);
        ASSERT_NE(two.release("n", number).what, fate::not_held);
    }
    EXPECT_TRUE(one.inspect("n").waiters.empty());
    EXPECT_TRUE(one.inspect("n").holders.empty());
}

TEST(embedded, keeps_names_of_every_byte_value_apart) {
    const scratch_folder folder;
    asker one{folder / "locks.db"};
    asker two{folder / "locks.db"};
    for (int value = 0; value < 256; ++value) {
        const std::string name(1, static_cast<char>(value));
        ASSERT_EQ(one.acquire(name, static_cast<std::uint64_t>(value)).what, fate::granted);
        ASSERT_EQ(two.acquire(name, 1).what, fate::busy);
    }
    std::string all;
    for (int value = 0; value < 256; ++value) { all += static_cast<char>(value); }
    ASSERT_EQ(one.acquire(all + all, 1000).what, fate::granted);
    ASSERT_EQ(one.acquire(all + all.substr(0, 255), 1001).what, fate::granted);
    EXPECT_EQ(two.inspect(all + all).holders.size(), 1U);
}

TEST(embedded, lists_in_order_by_prefix_and_page) {
    const scratch_folder folder;
    asker one{folder / "locks.db"};
    std::uint64_t number = 0;
    for (const char* name : {"b/2", "a/1", "b/1", "c", "b/3", "b"}) {
        ASSERT_EQ(one.acquire(name, ++number).what, fate::granted);
    }
    ASSERT_EQ(one.release("b/2", 1).what, fate::released);
    std::vector<std::string> seen;
    std::string cursor;
    do {
        const auto said = one.ask(engine::list_op{"b", cursor, 1});
        ASSERT_EQ(said.what, fate::reported) << said.detail;
        for (const auto& lock : said.report->locks) { seen.push_back(lock.name); }
        cursor = said.report->cursor;
    } while (!cursor.empty());
    EXPECT_EQ(seen, (std::vector<std::string>{"b", "b/1", "b/3"}));
}

/// Clocks that can be set on.
class shifted_time final : public base::time_source {
public:
    [[nodiscard]] base::instant now() const noexcept override {
        return base::boot_clock::now() + shift;
    }
    [[nodiscard]] std::int64_t wall_us() const noexcept override {
        const auto more = std::chrono::duration_cast<std::chrono::microseconds>(shift);
        return base::system_time().wall_us() + more.count();
    }
    base::duration shift{0};
};

TEST(embedded, forgets_idle_names_after_a_day_and_none_before) {
    const scratch_folder folder;
    shifted_time time;
    engine::setting who = engine::this_process();
    who.time = &time;
    asker me{folder / "locks.db", who};
    constexpr std::uint64_t names = 200;
    for (std::uint64_t number = 1; number <= names; ++number) {
        const std::string name = "n" + std::to_string(number);
        ASSERT_EQ(me.acquire(name, number, queueing::no, 24h).what, fate::granted);
        if (number > 1) { ASSERT_EQ(me.release(name, number).what, fate::released); }
    }
    const auto known = [&] { return me.ask(engine::diagnose_op{}).report->text; };
    for (int minute = 0; minute < 10; ++minute) {
        time.shift += 61s;
        EXPECT_NE(known().find(" 200 names"), std::string::npos) << known();
    }
    ASSERT_EQ(me.release("n1", 1).what, fate::released);
    for (std::uint64_t hour = 1; hour <= 25; ++hour) { // one of them is used all the time
        time.shift += 1h;
        ASSERT_EQ(me.acquire("n1", names + hour).what, fate::granted);
        ASSERT_EQ(me.release("n1", names + hour).what, fate::released);
    }
    for (int minute = 0; minute < 10; ++minute) {
        time.shift += 61s;
        (void)known();
    }
    EXPECT_NE(known().find(" 1 names"), std::string::npos) << known();
    EXPECT_GT(me.inspect("n1").last_token, 0U);
}

TEST(embedded, says_what_it_is_when_asked) {
    const scratch_folder folder;
    asker one{folder / "locks.db"};
    const auto said = one.ask(engine::diagnose_op{});
    ASSERT_EQ(said.what, fate::reported) << said.detail;
    EXPECT_NE(said.report->text.find(folder / "locks.db"), std::string::npos);
}

} // namespace
} // namespace holdfast::test
