// The scripts: the keys they leave, the commands they need, and extreme numbers and names.

#include "fault/redis_fixture.hpp"

#include <deque>
#include <set>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::test {
namespace {

using engine::op_status;
using engine::queueing;
using testing::ElementsAre;

const request in_line{.queue = queueing::grant};

class redis_script : public redis_fault {
protected:
    /// An idle record, as after a release, with this as the highest token.
    void put_idle(std::uint64_t highest) {
        mutex{writer_, "stock"}.acquire().release();
        auto now = record();
        ASSERT_EQ(now.substr(0, 4), "hf2i");
        now.replace(4, 16, sixteen(highest));
        server.command({"SET", "hf:{stock}", now});
    }
    [[nodiscard]] static std::string sixteen(std::uint64_t value) {
        const auto digits = std::to_string(value);
        return std::string(16 - digits.size(), '0') + digits;
    }
    [[nodiscard]] std::uint64_t server_now() {
        const auto time = server.command({"TIME"});
        return std::stoull(time.items().at(0).string()) * 1'000'000 +
               std::stoull(time.items().at(1).string());
    }

private:
    client writer_{direct()};
};

// Tokens.

TEST_F(redis_script, counts_tokens_beyond_ten_to_the_fifteenth_exactly) { // P3
    for (const std::uint64_t high :
         {1'999'999'999'999'999ULL, 4'503'599'627'370'497ULL, 9'007'199'254'740'980ULL}) {
        put_idle(high);
        auto here = direct();
        auto other = direct();
        auto held = mutex{here, "stock"}.acquire();
        EXPECT_EQ(held.token(), high + 1) << "the short path";
        auto waiting = wait_for(other);
        ASSERT_TRUE(will_wait(1));
        EXPECT_EQ(look().last_token, high + 1);
        held.release();
        auto got = waiting.get();
        EXPECT_EQ(got.token(), high + 2) << "the push";
        got.release();
        EXPECT_EQ(stored_token(), high + 2);
        auto rested = mutex{here, "stock"}.acquire({.min_hold = 1ms});
        EXPECT_EQ(rested.token(), high + 3) << "the long path";
    }
}

TEST_F(redis_script, issues_no_token_that_a_double_cannot_hold) {
    put_idle(9'007'199'254'740'991ULL);
    auto here = direct();
    const auto complaint = complaint_of([&] { (void)mutex{here, "stock"}.try_acquire(); });
    EXPECT_EQ(complaint.code, errc::internal) << complaint.text;
    EXPECT_THAT(complaint.text, testing::HasSubstr("2^53"));
    EXPECT_EQ(stored_token(), 9'007'199'254'740'991ULL);
}

// As if the server's clock had been an hour ahead when the last token was issued.
TEST_F(redis_script, keeps_tokens_rising_when_the_clock_steps_back) { // P3
    const auto high = server_now() + 3'600'000'000;
    put_idle(high);
    auto here = direct();
    std::uint64_t last = high;
    for (int i = 0; i < 3; ++i) {
        auto held = mutex{here, "stock"}.acquire();
        EXPECT_EQ(held.token(), last + 1);
        last = held.token();
        held.release();
    }
    auto reader = shared_mutex{here, "stock"}.acquire_shared();
    EXPECT_EQ(reader.token(), last) << "a reader has the last writer's";
}

TEST_F(redis_script, keeps_tokens_rising_when_the_clock_steps_forward) { // P3
    const auto before = server_now() - 3'600'000'000;
    put_idle(before);
    auto here = direct();
    const auto first = mutex{here, "stock"}.acquire().token();
    EXPECT_GT(first, before + 3'599'000'000) << "it follows the clock";
    EXPECT_GT((mutex{here, "stock"}.acquire().token()), first);
}

// The server's clock stepped forward: the deadline is in the past.
TEST_F(redis_script, grants_the_next_when_the_clock_jumps_past_the_deadline) {
    auto here = direct();
    auto other = direct();
    auto held = mutex{here, "stock"}.acquire();
    server.command({"SETRANGE", "hf:{stock}", "20", sixteen(server_now() - 1)});
    const auto next = mutex{other, "stock"}.try_acquire();
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), held.token()) << "only the token protects";
    EXPECT_EQ(held.release(), release_answer::already_lost);
    EXPECT_TRUE(next->valid());
}

TEST_F(redis_script, ends_a_lease_by_its_field_and_not_by_the_life_of_the_key) {
    auto here = direct();
    const auto held = mutex{here, "stock"}.acquire({.lease = 200ms, .renew = false});
    EXPECT_GT(server.command({"PTTL", "hf:{stock}"}).number(), 60'000);
    auto other = direct();
    const stopwatch watch;
    EXPECT_TRUE((mutex{other, "stock"}.try_acquire_for(scaled(2s))));
    EXPECT_LT(watch.elapsed(), scaled(1s));
}

// Names.

TEST_F(redis_script, keeps_all_keys_of_a_name_in_one_slot) {
    redis_server node{{.arguments = {"--cluster-enabled", "yes"}}}; // only it can tell slots
    std::vector<std::string> names{
        "}x",       "{}", "{a}b", "%7d", "%", "a{b", "}{", "{{x}}", std::string(512, '{'),
        "a b\r\nc", "*",  "[x]",  "\\"};
    for (int byte = 0; byte < 256; ++byte) { names.emplace_back(1, static_cast<char>(byte)); }
    auto here = direct();
    auto other = direct();
    for (const auto& name : names) {
        server.flush_all();
        shared_mutex page{here, name};
        auto reader = page.acquire_shared();
        seam_client waiter{server.url()};
        ASSERT_EQ(waiter
                      .acquire(waiter.ticket(name),
                               {.kind = primitive::shared_mutex, .queue = queueing::grant})
                      .status,
                  op_status::queued);
        std::set<std::int64_t> slots;
        auto all = keys();
        std::erase(all, "hf:mark"); // the server's, not the name's
        for (const auto& key : all) {
            slots.insert(node.command({"CLUSTER", "KEYSLOT", key}).number());
        }
        EXPECT_EQ(all.size(), 5U) << testing::PrintToString(name);
        EXPECT_EQ(slots.size(), 1U) << testing::PrintToString(name);
        const auto listed = admin{other}.list().locks;
        ASSERT_EQ(listed.size(), 1U) << testing::PrintToString(name);
        EXPECT_EQ(listed.front().name, name);
    }
}

TEST_F(redis_script, keeps_names_apart_whose_keys_look_alike) {
    auto here = direct();
    const auto first = mutex{here, "{"}.try_acquire();
    EXPECT_TRUE(first);
    EXPECT_TRUE((mutex{here, "%7b"}.try_acquire()));
    EXPECT_TRUE((mutex{here, "%257b"}.try_acquire()));
    EXPECT_TRUE((mutex{here, "x}:q"}.try_acquire())) << "not the queue of x";
}

// Keys that are left.

TEST_F(redis_script, leaves_a_record_that_expires_and_nothing_else) { // P8
    auto here = direct();
    auto other = direct();
    auto held = mutex{here, "stock"}.acquire();
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    EXPECT_FALSE((mutex{other, "stock"}.try_acquire_for(20ms)));
    held.release();
    waiting.get().release();
    auto reader = shared_mutex{here, "page"}.acquire_shared();
    EXPECT_FALSE((shared_mutex{other, "page"}.try_acquire_for(20ms)));
    reader.release();
    counting_semaphore{here, "slots", 5}.acquire(3).release();
    ASSERT_TRUE(eventually([&] { return keys().size() == 4; })) << testing::PrintToString(keys());
    EXPECT_THAT(keys(), ElementsAre("hf:mark", "hf:{page}", "hf:{slots}", "hf:{stock}"));
    for (const auto& key : {"hf:{page}", "hf:{slots}", "hf:{stock}"}) {
        const auto left = std::chrono::milliseconds{server.command({"PTTL", key}).number()};
        EXPECT_GT(left, 60s) << key << ": for requests that are late";
        EXPECT_LT(left, 120s) << key;
    }
    EXPECT_TRUE(admin{here}.list().locks.empty());
}

TEST_F(redis_script, gives_every_key_an_expiry_while_it_is_in_use) { // P8
    auto here = direct();
    const auto held = mutex{here, "stock"}.acquire();
    const auto reader = shared_mutex{here, "page"}.acquire_shared();
    seam_client waiter{server.url()};
    ASSERT_EQ(waiter.acquire(waiter.ticket("stock"), in_line).status, op_status::queued);
    auto all = keys();
    EXPECT_EQ(std::erase(all, "hf:mark"), 1U) << "which stays";
    EXPECT_EQ(all.size(), 6U);
    for (const auto& key : all) { EXPECT_GT(server.command({"PTTL", key}).number(), 0) << key; }
}

TEST_F(redis_script, drops_waiters_of_a_killed_client_after_three_seconds) { // P8
    auto here = direct();
    const auto held = mutex{here, "stock"}.acquire();
    {
        seam_client killed{server.url()};
        ASSERT_TRUE(killed.queue_up("stock", 20));
    }
    EXPECT_EQ(queued(), 20);
    EXPECT_LT(server.command({"PTTL", "hf:{stock}:q"}).number(), 10'001) << "if nobody looks";
    const stopwatch watch;
    ASSERT_TRUE(will_wait(0));
    EXPECT_GT(watch.elapsed(), 2500ms);
    EXPECT_LT(watch.elapsed(), 3s + scaled(500ms));
    EXPECT_EQ(keys().size(), 2U) << "the record and the mark";
    EXPECT_TRUE(held.valid());
}

TEST_F(redis_script, keeps_a_queue_whose_waiters_are_too_short_lived_to_beat) { // P6
    seam_client all{server.url()};
    std::deque<engine::ticket> line{all.ticket("stock")};
    ASSERT_EQ(all.acquire(line.front()).status, op_status::granted);
    const auto come = [&] {
        line.push_back(all.ticket("stock"));
        return all.acquire(line.back(), in_line).status;
    };
    ASSERT_EQ(come(), op_status::queued);
    ASSERT_EQ(come(), op_status::queued);
    const stopwatch watch;
    while (watch.elapsed() < 8s) {
        ASSERT_EQ(come(), op_status::queued);
        ASSERT_EQ(all.release(line.front()).status, op_status::handed_off) << "the queue is gone";
        line.pop_front();
        ASSERT_TRUE(all.await(engine::notice::kind::granted, line.front()));
        all.drive_for(50ms);
    }
}

// Commands that are needed.

TEST_F(redis_script, needs_two_commands_to_take_and_release_a_free_lock) {
    auto here = connect();
    mutex stock{here, "stock"};
    stock.acquire().release();
    const auto before = between.counts().requests;
    constexpr unsigned rounds = 100;
    for (unsigned i = 0; i < rounds; ++i) { stock.acquire().release(); }
    const auto sent = between.counts().requests - before;
    EXPECT_GE(sent, 2 * rounds);
    EXPECT_LE(sent, 2 * rounds + 1) << "TIME is asked for once in ten seconds";
}

TEST_F(redis_script, needs_three_commands_for_a_hand_off_among_any_number_of_waiters) { // P6
    constexpr unsigned rounds = 50;
    for (const unsigned count : {2U, 16U}) {
        std::vector<client> all;
        for (unsigned i = 0; i < count; ++i) {
            all.push_back(connect());
            all.back().ping();
        }
        const auto before = between.counts().requests;
        {
            std::vector<std::jthread> crowd;
            for (auto& each : all) {
                crowd.emplace_back([&each] {
                    mutex stock{each, "stock"};
                    for (unsigned i = 0; i < rounds; ++i) { stock.acquire().release(); }
                });
            }
        }
        const auto sent = between.counts().requests - before;
        EXPECT_LE(sent, 3 * rounds * count + 2 * count) << count << " waiters";
    }
}

TEST_F(redis_script, renews_all_of_a_batch_but_the_one_whose_key_is_foreign) {
    seam_client here{server.url()};
    engine::beat_op batch;
    for (std::size_t i = 0; i < engine::max_beat_items; ++i) {
        auto ticket = here.ticket("n" + std::to_string(i));
        ASSERT_EQ(here.acquire(ticket, {.lease = 10s}).status, op_status::granted);
        batch.items.push_back({std::move(ticket), false, 1h, 1});
    }
    server.command({"DEL", "hf:{n77}"});
    server.command({"RPUSH", "hf:{n77}", "not", "ours"});
    const auto answer = here.ask(batch);
    ASSERT_EQ(answer.status, op_status::renewed);
    ASSERT_EQ(answer.beats.size(), engine::max_beat_items);
    for (std::size_t i = 0; i < answer.beats.size(); ++i) {
        EXPECT_EQ(answer.beats[i].status, i == 77 ? op_status::failed : op_status::renewed) << i;
    }
    EXPECT_EQ(answer.beats[77].error, errc::store_foreign) << answer.beats[77].detail;
    EXPECT_EQ(server.command({"LRANGE", "hf:{n77}", "0", "-1"}).text(), "[not, ours]");
    EXPECT_GT(here.inspect("n499").holders.at(0).remaining, 59min) << "also after it";
}

} // namespace
} // namespace holdfast::test
