// The memory engine through the seam, with virtual time.

#include "holdfast/engine/memory/mailbox.hpp"
#include "holdfast/engine/memory/memory.hpp"
#include "holdfast/engine/memory/memory_store.hpp"
#include "memory_engine_fixture.hpp"

#include <atomic>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace holdfast::engine::memory {
namespace {

TEST_F(memory_engine, answers_inside_submit_with_the_number_of_the_operation) {
    first.submit(acquire(1), 41);
    ASSERT_EQ(first.answers.size(), 1U);
    EXPECT_EQ(first.answers[0].id, 41U);
    EXPECT_EQ(first.answers[0].status, op_status::granted);
}

TEST_F(memory_engine, P1_shares_locks_between_the_clients_of_a_store) {
    EXPECT_EQ(first.ask(acquire(1)).status, op_status::granted);
    EXPECT_EQ(second.ask(acquire(2)).status, op_status::queued);
    client elsewhere{"memory:another", clock};
    EXPECT_EQ(elsewhere.ask(acquire(3)).status, op_status::granted);
}

TEST_F(memory_engine, P6_hands_off_through_the_other_clients_inbox) {
    ASSERT_EQ(first.ask(acquire(1)).status, op_status::granted);
    ASSERT_EQ(second.ask(acquire(2)).status, op_status::queued);
    EXPECT_FALSE(second.readable());
    ASSERT_EQ(first.ask(release_op{first.ticket_of(1)}).status, op_status::handed_off);
    EXPECT_TRUE(second.readable());
    EXPECT_EQ(second.drive(), base::never);
    ASSERT_EQ(second.notices.size(), 1U);
    EXPECT_EQ(second.notices[0].type, notice::kind::granted);
    EXPECT_EQ(second.notices[0].number, 2U);
    EXPECT_FALSE(second.readable());
    EXPECT_TRUE(first.notices.empty());
}

TEST_F(memory_engine, notifies_its_own_client_right_after_the_answer) {
    ASSERT_EQ(first.ask(acquire(1)).status, op_status::granted);
    ASSERT_EQ(first.ask(acquire(2)).status, op_status::queued);
    ASSERT_EQ(first.ask(release_op{first.ticket_of(1)}).status, op_status::handed_off);
    ASSERT_EQ(first.notices.size(), 1U);
    EXPECT_EQ(first.notices[0].number, 2U);
    EXPECT_FALSE(first.readable());
}

TEST_F(memory_engine, beats_many_at_once_and_answers_each_in_order) {
    ASSERT_EQ(first.ask(acquire(1)).status, op_status::granted);
    ASSERT_EQ(first.ask(acquire(2)).status, op_status::queued);
    beat_op beats;
    beats.items.push_back({first.ticket_of(1), false, 5s});
    beats.items.push_back({first.ticket_of(2), true, 0ms});
    beats.items.push_back({{"unknown", first.ticket_of(1).owner}, false, 5s});
    const auto answer = first.ask(beats);
    ASSERT_EQ(answer.beats.size(), 3U);
    EXPECT_EQ(answer.beats[0].status, op_status::renewed);
    EXPECT_EQ(answer.beats[1].status, op_status::queued);
    EXPECT_EQ(answer.beats[2].status, op_status::lost);
    EXPECT_EQ(answer.beats[2].ticket.name, "unknown");
}

TEST_F(memory_engine, P9_refuses_a_beat_of_too_many) {
    beat_op beats;
    beats.items.resize(max_beat_items + 1);
    EXPECT_EQ(first.ask(beats).error, errc::limit_reached);
}

TEST_F(memory_engine, withdraws_and_breaks_and_answers_not_held_for_unknown_names) {
    for (const op& operation :
         {op{release_op{first.ticket_of(1)}}, op{withdraw_op{first.ticket_of(1)}},
          op{break_op{"stock:1001", 0}}}) {
        EXPECT_EQ(first.ask(operation).status, op_status::not_held);
    }
    ASSERT_EQ(first.ask(acquire(1)).status, op_status::granted);
    ASSERT_EQ(second.ask(acquire(2)).status, op_status::queued);
    EXPECT_EQ(second.ask(withdraw_op{second.ticket_of(2)}).status, op_status::released);
    EXPECT_EQ(second.ask(break_op{"stock:1001", 0}).status, op_status::released);
    first.drive();
    ASSERT_EQ(first.notices.size(), 1U);
    EXPECT_EQ(first.notices[0].type, notice::kind::broken);
}

TEST_F(memory_engine, inspects_a_name_whether_used_or_not) {
    ASSERT_EQ(first.ask(acquire(1)).status, op_status::granted);
    const auto used = first.ask(inspect_op{"stock:1001"});
    ASSERT_EQ(used.status, op_status::reported);
    ASSERT_EQ(used.report->locks.size(), 1U);
    EXPECT_EQ(used.report->locks[0].holders.at(0).host, "here");
    const auto unused = first.ask(inspect_op{"never seen"});
    ASSERT_EQ(unused.report->locks.size(), 1U);
    EXPECT_EQ(unused.report->locks[0].name, "never seen");
    EXPECT_TRUE(unused.report->locks[0].holders.empty());
    EXPECT_NE(first.ask(diagnose_op{}).report->text, "");
}

TEST_F(memory_engine, lists_names_in_use_in_order_page_by_page) {
    std::uint64_t number = 0;
    for (const auto* name : {"b2", "a", "b3", "c", "b1", "b", "b4"}) {
        ASSERT_EQ(first.ask(acquire(++number, name)).status, op_status::granted);
    }
    ASSERT_EQ(first.ask(release_op{{"b3", first.ticket_of(3).owner}}).status, op_status::released);
    EXPECT_EQ(pages("", 3), (std::vector<names>{{"a", "b", "b1"}, {"b2", "b4", "c"}}));
    EXPECT_EQ(pages("b", 2), (std::vector<names>{{"b", "b1"}, {"b2", "b4"}}));
    EXPECT_EQ(pages("x", 2), (std::vector<names>{{}}));
}

TEST_F(memory_engine, lists_names_with_any_byte_in_them) {
    std::string every;
    for (int c = 0; c < 256; ++c) { every += static_cast<char>(c); }
    ASSERT_EQ(first.ask(acquire(1, every)).status, op_status::granted);
    ASSERT_EQ(first.ask(acquire(2, "\xff\xff")).status, op_status::granted);
    EXPECT_EQ(pages("", 1), (std::vector<names>{{every}, {"\xff\xff"}}));
    EXPECT_EQ(pages("\xff", 1), (std::vector<names>{{"\xff\xff"}}));
}

TEST_F(memory_engine, P9_reads_a_bounded_number_of_names_for_a_page) {
    for (std::uint64_t i = 0; i < 2500; ++i) {
        const auto name = "job:" + std::to_string(10'000 + i);
        ASSERT_EQ(first.ask(acquire(i, name)).status, op_status::granted);
        if (i != 2400) { first.ask(release_op{{name, first.ticket_of(i).owner}}); }
    }
    EXPECT_EQ(pages("job:", 100), (std::vector<names>{{}, {}, {"job:12400"}}));
}

TEST_F(memory_engine, P7_the_holds_of_a_closed_client_end_with_their_leases) {
    {
        client closing{"memory:unit", clock};
        ASSERT_EQ(closing.ask(acquire(1)).status, op_status::granted);
    }
    EXPECT_EQ(first.ask(acquire(2)).status, op_status::queued);
    clock.pass(2s);
    ASSERT_EQ(first.ask(acquire(2)).status, op_status::queued);
    clock.pass(8s - 1ns);
    EXPECT_EQ(second.ask(acquire(3)).status, op_status::queued);
    clock.pass(1ns);
    EXPECT_EQ(second.ask(acquire(3)).status, op_status::granted);
}

TEST_F(memory_engine, deletes_a_store_with_its_last_client) {
    auto only = std::make_unique<client>("memory:brief", clock);
    auto other = std::make_unique<client>("memory:brief", clock);
    ASSERT_EQ(only->ask(acquire(1)).status, op_status::granted);
    only.reset();
    EXPECT_EQ(other->ask(acquire(2)).status, op_status::queued);
    other.reset();
    EXPECT_EQ(client("memory:brief", clock).ask(acquire(3)).status, op_status::granted);
}

TEST_F(memory_engine, gives_a_forked_child_stores_of_its_own) {
    ASSERT_EQ(first.ask(acquire(1)).status, op_status::granted);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        client of_child{"memory:unit", clock};
        ::_exit(of_child.ask(acquire(2)).status == op_status::granted ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(second.ask(acquire(3)).status, op_status::queued);
}

TEST_F(memory_engine, P8_a_released_lock_leaves_nothing_after_a_minute_or_two) {
    memory_store all;
    memory_store::pushes pushes;
    acquire_op request = acquire(0);
    for (request.ticket.owner.number = 1; request.ticket.owner.number <= 100'000;
         ++request.ticket.owner.number) {
        request.ticket.name = std::to_string(request.ticket.owner.number);
        ASSERT_EQ(all.acquire(request, {}, clock, pushes).status, op_status::granted);
        ASSERT_EQ(all.release({request.ticket}, clock, pushes), op_status::released);
    }
    EXPECT_EQ(all.size(), 100'000U);
    clock.pass(59s);
    EXPECT_EQ(all.release({{"1", request.ticket.owner}}, clock, pushes), op_status::not_held);
    (void)all.beat({}, {}, clock, pushes);
    EXPECT_EQ(all.size(), 100'000U); // a resent release is still answered
    clock.pass(31s);
    for (int times = 0; times < 400; ++times) { // each looks at a bounded number
        (void)all.beat({}, {}, clock, pushes);
    }
    EXPECT_EQ(all.size(), 0U);
}

TEST_F(memory_engine, P8_the_record_of_an_unreleased_hold_is_deleted_too) {
    first.ask(acquire(1));
    clock.pass(10s + 50s);
    first.ask(beat_op{});
    EXPECT_EQ(first.ask(diagnose_op{}).report->text, "memory: 1 names known");
    clock.pass(10s);
    first.ask(beat_op{});
    EXPECT_EQ(first.ask(diagnose_op{}).report->text, "memory: 0 names known");
    EXPECT_EQ(first.ask(acquire(2)).status, op_status::granted);
}

TEST_F(memory_engine, P3_tokens_rise_though_the_name_was_forgotten_and_the_clock_goes_back) {
    const auto token = first.ask(acquire(1)).token;
    ASSERT_EQ(first.ask(release_op{first.ticket_of(1)}).status, op_status::released);
    clock.pass(2min);
    first.ask(beat_op{});
    ASSERT_EQ(first.ask(diagnose_op{}).report->text, "memory: 0 names known");
    clock.set_back(1h);
    EXPECT_EQ(first.ask(acquire(2)).token, token + 1);
}

TEST_F(memory_engine, P9_a_client_that_does_not_read_gets_an_inbox_reset) {
    mailbox inbox;
    for (std::uint64_t i = 0; i < 2 * mailbox::max_notices; ++i) {
        inbox.put({notice::kind::granted, i, 1});
    }
    std::vector<notice> came;
    EXPECT_FALSE(inbox.drain_into(came));
    EXPECT_LE(came.size(), mailbox::max_notices);
    pollfd looked{inbox.descriptor(), POLLIN, 0};
    EXPECT_EQ(::poll(&looked, 1, 0), 0);
    inbox.put({notice::kind::granted, 7, 1});
    EXPECT_TRUE(inbox.drain_into(came));
    EXPECT_EQ(came.size(), 1U);
}

TEST_F(memory_engine, P1_many_threads_with_a_client_each_never_hold_at_once) {
    constexpr int rounds = 500;
    std::atomic<int> inside{0};
    int counter = 0; // guarded by the lock alone
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            client own{"memory:threads", clock}; // time stands: no lease ends
            for (std::uint64_t i = 1; i <= rounds; ++i) {
                own.hold(acquire(i));
                EXPECT_EQ(++inside, 1);
                ++counter;
                --inside;
                own.ask(release_op{own.ticket_of(i)});
            }
        });
    }
    for (auto& each : threads) { each.join(); }
    EXPECT_EQ(counter, 4 * rounds);
}

} // namespace
} // namespace holdfast::engine::memory
