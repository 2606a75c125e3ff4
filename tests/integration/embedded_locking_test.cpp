// Clients of one file: exclusion, order and hand-off, within a process and between processes.

#include "embedded_support.hpp"

#include <gtest/gtest.h>

namespace holdfast::test {
namespace {

using engine::op_status;
using engine::queueing;

TEST(embedded, two_clients_exclude_each_other) {
    const scratch_folder folder;
    embedded_client holder{folder / "locks.db"};
    embedded_client two{folder / "locks.db"};
    const auto first = holder.acquire("n", 1);
    ASSERT_EQ(first.status, op_status::granted) << first.detail;
    EXPECT_EQ(two.acquire("n", 1).status, op_status::busy);
    EXPECT_EQ(two.release("n", 1).status, op_status::not_held);
    EXPECT_EQ(holder.release("n", 1).status, op_status::released);
    const auto second = two.acquire("n", 2);
    ASSERT_EQ(second.status, op_status::granted);
    EXPECT_GT(second.token, first.token);
}

TEST(embedded, a_release_hands_off_and_the_waiter_gets_a_notice) {
    const scratch_folder folder;
    embedded_client holder{folder / "locks.db"};
    embedded_client two{folder / "locks.db"};
    ASSERT_EQ(holder.acquire("n", 1).status, op_status::granted);
    ASSERT_EQ(two.acquire("n", 7, queueing::grant).status, op_status::queued);
    ASSERT_EQ(holder.release("n", 1).status, op_status::handed_off);
    const auto heard = two.wait_for_notice();
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->type, engine::notice::kind::granted);
    EXPECT_EQ(heard->number, 7U);
    EXPECT_EQ(heard->token, two.inspect("n").last_token);
    EXPECT_EQ(two.beat("n", 7, false).status, op_status::renewed);
}

TEST(embedded, a_waiter_of_the_same_client_gets_a_notice_too) {
    const scratch_folder folder;
    embedded_client holder{folder / "locks.db"};
    ASSERT_EQ(holder.acquire("n", 1).status, op_status::granted);
    ASSERT_EQ(holder.acquire("n", 2, queueing::grant).status, op_status::queued);
    ASSERT_EQ(holder.release("n", 1).status, op_status::handed_off);
    ASSERT_EQ(holder.notices.size(), 1U);
    EXPECT_EQ(holder.notices.front().number, 2U);
}

TEST(embedded, the_next_beat_replaces_a_lost_notice) {
    const scratch_folder folder;
    embedded_client holder{folder / "locks.db"};
    embedded_client two{folder / "locks.db"};
    ASSERT_EQ(holder.acquire("n", 1).status, op_status::granted);
    ASSERT_EQ(two.acquire("n", 1, queueing::grant).status, op_status::queued);
    // As if the releasing process had been killed between its commit and the message.
    ::unlink((folder / "locks.db-inbox/" + two.identity.client.text()).c_str());
    ASSERT_EQ(holder.release("n", 1).status, op_status::handed_off);
    EXPECT_FALSE(two.wait_for_notice(20ms));
    EXPECT_EQ(two.beat("n", 1, true).status, op_status::granted);
}

TEST(embedded, serves_processes_in_the_order_of_their_requests) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client holder{path};
    ASSERT_EQ(holder.acquire("n", 1).status, op_status::granted);
    std::vector<std::unique_ptr<child_process>> waiters;
    for (int number = 0; number < 4; ++number) {
        waiters.push_back(
            std::make_unique<child_process>([&](const child_process::parent_channel& to) {
                embedded_client me{path};
                to.send(me.acquire("n", 1, queueing::grant).status == op_status::queued ? "queued"
                                                                                        : "no");
                to.send(me.wait_for_notice(20s) ? "granted" : "nothing");
                to.wait_for_parent();
                to.send(me.release("n", 1).status == op_status::not_held ? "not held" : "released");
            }));
        ASSERT_EQ(waiters.back()->receive(), "queued");
    }
    EXPECT_EQ(holder.inspect("n").waiters.size(), 4U);
    ASSERT_EQ(holder.release("n", 1).status, op_status::handed_off);
    for (auto& each : waiters) {
        EXPECT_EQ(each->receive(), "granted");
        each->resume();
        EXPECT_EQ(each->receive(), "released");
        EXPECT_EQ(each->wait(), 0);
    }
}

TEST(embedded, a_thousand_wait_and_are_served_in_order) {
    const scratch_folder folder;
    embedded_client holder{folder / "locks.db"};
    embedded_client two{folder / "locks.db"};
    constexpr std::uint64_t many = 1000;
    ASSERT_EQ(holder.acquire("n", 1).status, op_status::granted);
    for (std::uint64_t number = 1; number <= many; ++number) {
        const auto answer = two.acquire("n", number, queueing::grant);
        ASSERT_EQ(answer.status, op_status::queued);
        ASSERT_EQ(answer.ahead, number - 1);
    }
    EXPECT_EQ(two.beat("n", 5, true).ahead, 4U);
    EXPECT_EQ(two.beat("n", many, true).ahead, many - 1);
    ASSERT_EQ(two.ask(engine::withdraw_op{two.ticket_of("n", 500)}).status, op_status::released);
    ASSERT_EQ(holder.release("n", 1).status, op_status::handed_off);
    for (std::uint64_t number = 1; number <= many; ++number) {
        if (number == 500) { continue; }
        const auto heard = two.wait_for_notice();
        ASSERT_TRUE(heard);
        ASSERT_EQ(heard->number, number);
        ASSERT_NE(two.release("n", number).status, op_status::not_held);
    }
    EXPECT_TRUE(holder.inspect("n").waiters.empty());
    EXPECT_TRUE(holder.inspect("n").holders.empty());
}

TEST(embedded, keeps_names_of_every_byte_value_apart) {
    const scratch_folder folder;
    embedded_client holder{folder / "locks.db"};
    embedded_client two{folder / "locks.db"};
    for (int value = 0; value < 256; ++value) {
        const std::string name(1, static_cast<char>(value));
        ASSERT_EQ(holder.acquire(name, static_cast<std::uint64_t>(value)).status,
                  op_status::granted);
        ASSERT_EQ(two.acquire(name, 1).status, op_status::busy);
    }
    std::string all;
    for (int value = 0; value < 256; ++value) { all += static_cast<char>(value); }
    ASSERT_EQ(holder.acquire(all + all, 1000).status, op_status::granted);
    ASSERT_EQ(holder.acquire(all + all.substr(0, 255), 1001).status, op_status::granted);
    EXPECT_EQ(two.inspect(all + all).holders.size(), 1U);
}

TEST(embedded, lists_in_order_by_prefix_and_page) {
    const scratch_folder folder;
    embedded_client holder{folder / "locks.db"};
    std::uint64_t number = 0;
    for (const char* name : {"b/2", "a/1", "b/1", "c", "b/3", "b"}) {
        ASSERT_EQ(holder.acquire(name, ++number).status, op_status::granted);
    }
    ASSERT_EQ(holder.release("b/2", 1).status, op_status::released);
    std::vector<std::string> seen;
    std::string cursor;
    do {
        const auto answer = holder.ask(engine::list_op{"b", cursor, 1});
        ASSERT_EQ(answer.status, op_status::reported) << answer.detail;
        for (const auto& lock : answer.report->locks) { seen.push_back(lock.name); }
        cursor = answer.report->cursor;
    } while (!cursor.empty());
    EXPECT_EQ(seen, (std::vector<std::string>{"b", "b/1", "b/3"}));
}

TEST(embedded, diagnose_names_the_file) {
    const scratch_folder folder;
    embedded_client holder{folder / "locks.db"};
    const auto answer = holder.ask(engine::diagnose_op{});
    ASSERT_EQ(answer.status, op_status::reported) << answer.detail;
    EXPECT_NE(answer.report->text.find(folder / "locks.db"), std::string::npos);
}

} // namespace
} // namespace holdfast::test
