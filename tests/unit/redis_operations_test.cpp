// An operation is answered exactly once, and its memory is reused when nothing refers to it.

#include "unit/redis_channel_fixture.hpp"

#include <new>

namespace holdfast::test {
namespace {

using engine::op_status;

class redis_operations : public redis_channel {};

TEST_F(redis_operations, are_answered_once) {
    const auto operation = operations.start(7, now + 1s);
    operation->complete(op_status::granted);
    operation->complete(op_status::released);
    operation->fail(errc::unavailable, "too late");
    EXPECT_EQ(statuses(7), std::vector{op_status::granted});
}

TEST_F(redis_operations, that_are_cancelled_are_not_answered) {
    const auto operation = operations.start(7, now + 1s);
    operations.cancel(7);
    EXPECT_TRUE(operation->is_cancelled());
    operation->complete(op_status::granted);
    EXPECT_TRUE(statuses(7).empty());
}

TEST_F(redis_operations, that_were_answered_cannot_be_cancelled) {
    const auto operation = operations.start(7, now + 1s);
    operation->complete(op_status::queued);
    operations.cancel(7);
    EXPECT_FALSE(operation->is_cancelled());
}

TEST_F(redis_operations, that_a_reset_forgets_are_not_answered) {
    const auto operation = operations.start(7, now + 1s);
    operations.forget_all();
    EXPECT_FALSE(operation->is_open());
    EXPECT_FALSE(operation->is_cancelled()) << "nobody asked to undo it";
    operation->complete(op_status::granted);
    EXPECT_TRUE(statuses(7).empty());
    EXPECT_EQ(operations.earliest(), base::never);
}

TEST_F(redis_operations, expire_when_they_are_due_and_not_before) {
    const auto first = operations.start(7, now + 1s);
    const auto second = operations.start(8, now + 2s);
    EXPECT_EQ(operations.earliest(), now + 1s);
    const auto time_out = [](engine::redis::operation& each) { each.complete(op_status::unknown); };
    operations.expire(now + 1s, time_out);
    EXPECT_EQ(statuses(7), std::vector{op_status::unknown});
    EXPECT_TRUE(statuses(8).empty());
    EXPECT_EQ(operations.earliest(), now + 2s);
    operations.expire(now + 3s, time_out);
    EXPECT_EQ(statuses(7).size(), 1U);
    EXPECT_EQ(statuses(8).size(), 1U);
    EXPECT_EQ(operations.earliest(), base::never);
}

TEST_F(redis_operations, are_in_use_until_the_last_reference_ends) {
    auto operation = operations.start(7, now + 1s);
    auto other = operation;
    operation->complete(op_status::granted);
    operation.reset();
    EXPECT_EQ(operations.active(), 1U);
    other.reset();
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_operations, are_forgotten_when_an_exception_ends_the_last_reference) {
    const auto begin_and_throw = [this] {
        const auto operation = operations.start(7, now + 1s);
        throw std::bad_alloc{};
    };
    EXPECT_THROW(begin_and_throw(), std::bad_alloc);
    EXPECT_EQ(operations.active(), 0U);
    EXPECT_TRUE(answers.empty()) << "the engine is reset after that";
}

TEST_F(redis_operations, start_clean_in_reused_memory) {
    auto operation = operations.start(7, now + 1s);
    const auto* const memory = operation.get();
    operation->ticket.name = "stock";
    operation->items.resize(3);
    operation->renews = true;
    operation->terms.resent = true;
    operation->complete(op_status::granted);
    operation.reset();
    operation = operations.start(8, now + 2s);
    EXPECT_EQ(operation.get(), memory);
    EXPECT_TRUE(operation->is_open());
    EXPECT_EQ(operation->id(), 8U);
    EXPECT_TRUE(operation->items.empty());
    EXPECT_FALSE(operation->renews);
    EXPECT_FALSE(operation->terms.resent);
    EXPECT_EQ(operation->channel, nullptr);
    operation->complete(op_status::busy);
}

TEST_F(redis_operations, of_the_engine_itself_are_never_answered) {
    const auto operation = operations.start_internal();
    operation->complete(op_status::released);
    operation->fail(errc::unavailable, "nobody wants to know");
    EXPECT_TRUE(answers.empty());
    EXPECT_EQ(operations.earliest(), base::never);
}

TEST_F(redis_operations, that_wait_for_a_connection_are_sent_in_order) {
    engine::redis::backlog backlog;
    for (const engine::op_id id : {1U, 2U, 3U}) {
        backlog.add(operations.start(id, now + 1s), engine::inspect_op{"stock", {}});
    }
    operations.cancel(2);
    backlog.drop_completed();
    std::vector<engine::op_id> sent;
    backlog.send_each([&](engine::redis::operation& each, const engine::op& /*op*/) {
        if (each.id() == 3) { return false; }
        sent.push_back(each.id());
        each.complete(op_status::reported);
        return true;
    });
    EXPECT_EQ(sent, std::vector<engine::op_id>{1});
    EXPECT_FALSE(backlog.empty()) << "one could not be sent";
    EXPECT_EQ(operations.active(), 1U);
    operations.forget_all();
    backlog.drop_completed();
    EXPECT_TRUE(backlog.empty());
    EXPECT_EQ(operations.active(), 0U);
}

} // namespace
} // namespace holdfast::test
