// A release and the acquire behind it are one command, if neither is sent yet.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;

class redis_exchange : public redis_fault {
protected:
    void SetUp() override {
        // The first time the engine only loads the script.
        const auto old = held("warm");
        (void)exchange(old, mine.ticket("warm"));
        (void)mine.ask(engine::diagnose_op{});
        server.command({"CONFIG", "RESETSTAT"});
    }

    [[nodiscard]] engine::ticket held(const std::string& name) {
        auto ticket = mine.ticket(name);
        EXPECT_EQ(mine.acquire(ticket).status, op_status::granted);
        return ticket;
    }
    struct answers {
        engine::answer release;
        engine::answer acquire;
    };
    [[nodiscard]] answers exchange(const engine::ticket& given_up, const engine::ticket& wanted,
                                   const request& request = {}) {
        const auto first = mine.start(engine::release_op{given_up});
        const auto second = mine.start(seam_client::acquire_op(wanted, request));
        EXPECT_TRUE(eventually([&] {
            mine.drive_for(1ms);
            return mine.answer_to(first) && mine.answer_to(second);
        }));
        return {mine.answer_to(first).value_or(engine::answer{}),
                mine.answer_to(second).value_or(engine::answer{})};
    }
    [[nodiscard]] std::int64_t scripts_run() { return server.calls_of("evalsha"); }

    seam_client mine{between.url()};
    seam_client other{server.url()};
};

TEST_F(redis_exchange, of_one_name_is_one_command) {
    const auto old = held("stock");
    const auto wanted = mine.ticket("stock");
    const auto first = stored_token();
    const auto got = exchange(old, wanted);
    EXPECT_EQ(scripts_run(), 2) << "with that of the first hold";
    EXPECT_EQ(got.release.status, op_status::released);
    EXPECT_EQ(got.acquire.status, op_status::granted);
    EXPECT_GT(got.acquire.token, first);
    EXPECT_EQ(got.acquire.token, stored_token());
    EXPECT_EQ(mine.release(old).status, op_status::released) << "it is remembered";
    EXPECT_EQ(mine.release(wanted).status, op_status::released);
}

TEST_F(redis_exchange, of_two_names_is_one_command) {
    const auto old = held("stock");
    const auto wanted = mine.ticket("order");
    const auto got = exchange(old, wanted);
    EXPECT_EQ(scripts_run(), 2);
    EXPECT_EQ(got.release.status, op_status::released);
    EXPECT_EQ(got.acquire.status, op_status::granted);
    EXPECT_FALSE(is_held("stock"));
    EXPECT_TRUE(is_held("order"));
}

TEST_F(redis_exchange, is_not_made_of_a_release_that_is_already_sent) {
    const auto old = held("stock");
    mine.start(engine::release_op{old});
    mine.send();
    EXPECT_EQ(mine.acquire(mine.ticket("order")).status, op_status::granted);
    EXPECT_EQ(scripts_run(), 3);
}

TEST_F(redis_exchange, hands_off_and_joins_the_queue) { // P6
    const auto old = held("stock");
    const auto next = other.ticket("stock");
    const request waiting{.queue = engine::queueing::grant};
    EXPECT_EQ(other.acquire(next, waiting).status, op_status::queued);
    const auto got = exchange(old, mine.ticket("stock"), waiting);
    EXPECT_EQ(got.release.status, op_status::handed_off);
    EXPECT_EQ(got.acquire.status, op_status::queued);
    EXPECT_TRUE(other.await(engine::notice::kind::granted, next));
}

TEST_F(redis_exchange, hands_off_and_joins_a_long_queue) { // P6
    const auto old = held("stock");
    const auto next = other.ticket("stock");
    const request waiting{.queue = engine::queueing::grant};
    EXPECT_EQ(other.acquire(next, waiting).status, op_status::queued);
    EXPECT_TRUE(other.queue_up("stock", 7));
    const auto got = exchange(old, mine.ticket("stock"), waiting);
    EXPECT_EQ(got.release.status, op_status::handed_off);
    EXPECT_EQ(got.acquire.status, op_status::queued);
    EXPECT_EQ(got.acquire.ahead, 7U);
    EXPECT_TRUE(other.await(engine::notice::kind::granted, next));
}

TEST_F(redis_exchange, of_a_hold_that_has_ended_answers_not_held) { // P5
    const auto old = held("stock");
    EXPECT_EQ(other.break_lock("stock").status, op_status::released);
    const auto got = exchange(old, mine.ticket("stock"));
    EXPECT_EQ(got.release.status, op_status::not_held);
    EXPECT_EQ(got.acquire.status, op_status::granted);
}

TEST_F(redis_exchange, releases_even_if_the_other_lock_is_busy) {
    for (const char* const wanted : {"order", "stock"}) {
        const auto old = held("stock");
        const auto taken = other.ticket("order");
        EXPECT_EQ(other.acquire(taken).status, op_status::granted);
        request too_late;
        too_late.not_after = base::instant{} + 1ms;
        const bool same = std::string{wanted} == "stock";
        const auto got = exchange(old, mine.ticket(wanted), same ? too_late : request{});
        EXPECT_EQ(got.release.status, op_status::released) << wanted;
        EXPECT_EQ(got.acquire.status, op_status::busy) << wanted;
        EXPECT_FALSE(is_held("stock"));
        EXPECT_EQ(other.release(taken).status, op_status::released);
    }
}

TEST_F(redis_exchange, works_in_other_modes) {
    auto reader = mine.ticket("page");
    const request shared{.kind = primitive::shared_mutex, .mode = mode::shared};
    EXPECT_EQ(mine.acquire(reader, shared).status, op_status::granted);
    const request writing{.kind = primitive::shared_mutex, .min_hold = 50ms};
    const auto writer = mine.ticket("page");
    auto got = exchange(reader, writer, writing);
    EXPECT_EQ(got.release.status, op_status::released);
    EXPECT_EQ(got.acquire.status, op_status::granted);
    got = exchange(writer, mine.ticket("page"), shared);
    EXPECT_EQ(got.release.status, op_status::released);
    EXPECT_EQ(got.acquire.status, op_status::busy) << "min_hold";
}

TEST_F(redis_exchange, whose_answer_was_lost_happens_once) { // P5
    const auto old = held("stock");
    const auto wanted = mine.ticket("stock");
    between.drop_answers({.with = call_of(scripts::exchange)}, ending::reset);
    const auto got = exchange(old, wanted);
    EXPECT_EQ(got.release.status, op_status::unknown);
    EXPECT_EQ(got.acquire.status, op_status::unknown);
    const auto token = stored_token();
    EXPECT_EQ(mine.release(old).status, op_status::released);
    const auto again = mine.acquire(wanted);
    EXPECT_EQ(again.status, op_status::granted);
    EXPECT_EQ(again.token, token);
}

TEST_F(redis_exchange, that_failed_leaves_both_outcomes_unknown) {
    const auto old = held("stock");
    server.command({"SET", "hf:{order}", "something else"});
    const auto got = exchange(old, mine.ticket("order"));
    EXPECT_EQ(got.release.status, op_status::unknown);
    EXPECT_EQ(got.acquire.status, op_status::unknown);
    EXPECT_EQ(mine.release(old).status, op_status::released);
    EXPECT_EQ(mine.acquire(mine.ticket("order")).error, errc::store_foreign);
}

/// A thread that takes one lock after the other.
class redis_exchanging : public redis_fault {
protected:
    std::shared_ptr<recording_observer> watch = std::make_shared<recording_observer>();
    client here{server.url(),
                {.connect_wait = scaled(1000ms), .pipeline_release = true, .observer = watch}};
    mutex stock{here, "stock"};
    mutex order{here, "order"};

    void take_turns(int times) {
        for (int i = 0; i < times; ++i) {
            stock.lock();
            stock.unlock();
        }
    }
};

TEST_F(redis_exchanging, costs_one_command_per_turn) {
    take_turns(10);
    std::int64_t least = 200;
    for (int tries = 0; tries < 20 && least >= 150; ++tries) { // on a busy machine the keeper comes
        server.command({"CONFIG", "RESETSTAT"});
        take_turns(100);
        least = std::min(least, server.calls_of("evalsha"));
    }
    EXPECT_LT(least, 150);
}

TEST_F(redis_exchanging, continues_when_the_server_lost_its_scripts) {
    for (int i = 0; i < 10; ++i) {
        take_turns(5);
        server.command({"SCRIPT", "FLUSH"});
    }
    take_turns(1);
    EXPECT_TRUE(eventually([&] { return !is_held(); }));
    for (const auto& told : watch->all()) { ADD_FAILURE() << to_string(told.type) << told.detail; }
}

TEST_F(redis_exchanging, releases_though_the_server_has_no_memory_for_the_other) {
    take_turns(5);
    stock.lock();
    server.command({"CONFIG", "SET", "maxmemory", "1"});
    stock.unlock();
    EXPECT_EQ(complaint_of([&] { order.lock(); }).code, errc::store_full);
    EXPECT_TRUE(eventually([&] { return !is_held("stock"); }));
    server.command({"CONFIG", "SET", "maxmemory", "0"});
}

TEST_F(redis_exchanging, reports_each_outcome_to_its_caller) {
    take_turns(5);
    stock.lock();
    server.command({"SET", "hf:{stock}", "something else"});
    stock.unlock();
    order.lock();
    EXPECT_TRUE(watch->await_each(event::kind::release_failed, {"stock"}));
    order.unlock();
}

} // namespace
} // namespace holdfast::test
