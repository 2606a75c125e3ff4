// Replies belong to requests in their order; a lost connection makes them unknown or failed.

#include "unit/redis_channel_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;
using engine::redis::connection_loss;
using engine::redis::operation;
using engine::redis::reply;
using engine::redis::request;
using engine::redis::server_error;

/// Completes with `released` at a number, and notes what it hears.
class number_handler final : public engine::redis::request_handler {
public:
    bool on_reply(request& request, const reply& reply, base::instant /*now*/) override {
        if (!reply.is_integer()) { return false; }
        if (request.merged) { request.merged->complete(op_status::released); }
        if (request.op) { request.op->complete(op_status::released); }
        return true;
    }
    void on_lost(request& request, bool may_arrive, base::instant /*now*/) override {
        lost.emplace_back(request.op ? request.op->id() : 0, may_arrive);
    }
    std::vector<std::pair<engine::op_id, bool>> lost;
};

class redis_pipeline : public redis_channel {
protected:
    ~redis_pipeline() override { close({}); } // while there is a handler to hear of it

    request& send(operation& operation, const std::string& text = "PING\r\n") {
        return channel.send(handler, 0, operation, now, [&](std::string& out) { out += text; });
    }
    request& send(engine::op_id id) { return send(*start(id)); }
    /// The stream is offered all that is not sent, and takes so many bytes of it.
    void take_bytes(std::size_t count) {
        output.offered = output.sent + output.unsent.size();
        output.unsent.erase(0, count);
        output.sent += count;
        channel.requests().note_sent();
    }

    number_handler handler;
    const connection_loss loss{make_error_code(errc::unavailable), "it broke", true};
};

TEST_F(redis_pipeline, matches_replies_with_requests_in_order) {
    send(1);
    send(2);
    EXPECT_EQ(say(":1\r\n"), "");
    EXPECT_EQ(statuses(1).size(), 1U);
    EXPECT_TRUE(statuses(2).empty());
    EXPECT_EQ(say(":1\r\n"), "");
    EXPECT_EQ(statuses(2).size(), 1U);
    EXPECT_TRUE(channel.requests().empty());
    EXPECT_EQ(operations.active(), 0U) << "their memory is free again";
}

TEST_F(redis_pipeline, rejects_a_reply_without_a_request) {
    EXPECT_THAT(say(":1\r\n"), testing::HasSubstr("a reply that was not expected"));
}

TEST_F(redis_pipeline, rejects_a_reply_that_does_not_fit_and_keeps_the_request) {
    send(1);
    EXPECT_THAT(say("$2\r\nno\r\n"), testing::HasSubstr("a reply that was not expected"));
    EXPECT_TRUE(statuses(1).empty());
    take_bytes(6);
    close(loss);
    EXPECT_EQ(statuses(1), std::vector{op_status::unknown}) << "nobody knows what became of it";
}

TEST_F(redis_pipeline, fails_an_operation_that_the_server_refuses) {
    send(1);
    EXPECT_EQ(say("-OOM out of memory\r\n"), "");
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].status, op_status::failed);
    EXPECT_EQ(answers[0].error, make_error_code(errc::store_full));
    EXPECT_THAT(answers[0].detail, testing::HasSubstr("server:6379"));
}

TEST_F(redis_pipeline, ends_the_session_with_a_server_that_has_become_a_replica) {
    send(1);
    send(2);
    take_bytes(12);
    EXPECT_THAT(say("-READONLY You can't write against a read only replica.\r\n"),
                testing::HasSubstr("read-only replica"));
    EXPECT_THAT(statuses(1), testing::ElementsAre(engine::op_status::failed))
        << "it certainly did not happen";
    EXPECT_TRUE(answers.at(0).retry_now) << "on the next connection";
    EXPECT_THAT(statuses(2), testing::IsEmpty()) << "lost with the connection";
}

TEST_F(redis_pipeline, answers_unknown_for_requests_that_may_have_arrived_and_failed_for_the_rest) {
    send(1);
    send(2);
    send(3);
    take_bytes(6 + 5); // the second lacks a byte
    close(loss);
    EXPECT_EQ(statuses(1), std::vector{op_status::unknown});
    EXPECT_EQ(statuses(2), std::vector{op_status::failed}) << "a server needs the whole command";
    EXPECT_EQ(statuses(3), std::vector{op_status::failed});
    for (const auto& answer : answers) {
        EXPECT_EQ(answer.error, make_error_code(errc::unavailable));
        EXPECT_EQ(answer.detail, "it broke");
        EXPECT_TRUE(answer.retry_now);
    }
    EXPECT_THAT(handler.lost,
                testing::ElementsAre(std::pair{1, true}, std::pair{2, false}, std::pair{3, false}));
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_pipeline, counts_bytes_from_zero_on_each_connection) {
    send(1);
    take_bytes(6);
    close(loss);
    open();
    send(2);
    close(loss);
    EXPECT_EQ(statuses(2), std::vector{op_status::failed}) << "none of its bytes was sent";
}

TEST_F(redis_pipeline, does_not_answer_a_lost_operation_that_has_timed_out_again) {
    const auto operation = start(1);
    send(*operation);
    take_bytes(6);
    operation->complete(op_status::unknown);
    close(loss);
    EXPECT_EQ(statuses(1).size(), 1U);
    EXPECT_EQ(handler.lost.size(), 1U) << "but it may still arrive";
}

TEST_F(redis_pipeline, after_a_reset_calls_only_the_handlers_of_lost_requests) {
    send(1);
    take_bytes(6);
    operations.forget_all();
    channel.end_session();
    EXPECT_TRUE(handler.lost.empty()) << "that may need memory";
    EXPECT_TRUE(channel.requests().has_lost());
    channel.requests().fail_lost({}, now);
    EXPECT_THAT(handler.lost, testing::ElementsAre(std::pair{1, true}));
    EXPECT_TRUE(answers.empty());
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_pipeline, merges_into_a_request_only_while_none_of_it_is_sent) {
    EXPECT_EQ(channel.requests().last_unsent(), nullptr);
    auto& first = send(1);
    EXPECT_EQ(channel.requests().last_unsent(), &first);
    take_bytes(1);
    EXPECT_EQ(channel.requests().last_unsent(), nullptr);
    auto& second = send(2);
    EXPECT_EQ(channel.requests().last_unsent(), &second);
    take_bytes(5 + 6);
    EXPECT_EQ(channel.requests().last_unsent(), nullptr);
}

// TLS may have encrypted the bytes already, although the socket had no room for them.
TEST_F(redis_pipeline, merges_into_no_request_that_was_offered_to_the_stream) {
    send(1);
    take_bytes(0);
    EXPECT_TRUE(channel.requests().has_unsent());
    EXPECT_EQ(channel.requests().last_unsent(), nullptr);
    auto& second = send(2);
    EXPECT_EQ(channel.requests().last_unsent(), &second) << "this one was not";
    take_bytes(6);
    EXPECT_EQ(channel.requests().last_unsent(), nullptr);
}

TEST_F(redis_pipeline, serves_two_operations_by_a_merged_request) {
    send(1);
    auto& last = send(2);
    const auto third = start(3);
    channel.merge(last, 1, *third, false, now, [](std::string& out) { out += "BOTH\r\n"; });
    EXPECT_EQ(output.unsent, "PING\r\nBOTH\r\n");
    EXPECT_EQ(channel.requests().in_flight(), 3U);
    say(":1\r\n");
    say(":1\r\n");
    EXPECT_TRUE(channel.requests().empty());
    EXPECT_EQ(channel.requests().in_flight(), 0U);
    for (const engine::op_id id : {1U, 2U, 3U}) { EXPECT_EQ(statuses(id).size(), 1U) << id; }
}

TEST_F(redis_pipeline, loses_both_operations_of_a_merged_request_together) {
    auto& last = send(1);
    const auto second = start(2);
    channel.merge(last, 1, *second, false, now, [](std::string& out) { out += "BOTH\r\n"; });
    take_bytes(5);
    close(loss);
    EXPECT_EQ(statuses(1), std::vector{op_status::failed});
    EXPECT_EQ(statuses(2), std::vector{op_status::failed});
}

TEST_F(redis_pipeline, counts_sent_requests) {
    send(1);
    send(2);
    EXPECT_EQ(channel.requests().sent(), 0U);
    EXPECT_TRUE(channel.requests().has_unsent());
    take_bytes(7);
    EXPECT_EQ(channel.requests().sent(), 1U);
    take_bytes(5);
    EXPECT_EQ(channel.requests().sent(), 2U);
    EXPECT_FALSE(channel.requests().has_unsent());
    say(":1\r\n");
    EXPECT_EQ(channel.requests().sent(), 1U);
    EXPECT_EQ(channel.requests().in_flight(), 1U);
}

TEST_F(redis_pipeline, keeps_a_request_while_its_handler_sends_many_more) {
    class multiplier final : public engine::redis::request_handler {
    public:
        explicit multiplier(engine::redis::command_channel& channel) : channel_{channel} {}
        bool on_reply(request& request, const reply& /*reply*/, base::instant now) override {
            for (int i = 0; request.is(0) && i < 100; ++i) {
                channel_.send(*this, 1, *request.op, now, [](std::string& out) { out += "x"; });
            }
            if (++replies == 101) { request.op->complete(op_status::reported); }
            return true;
        }
        int replies = 0;

    private:
        engine::redis::command_channel& channel_;
    } many{channel};
    const auto operation = start(1);
    channel.send(many, 0, *operation, now, [](std::string& out) { out += "x"; });
    for (int i = 0; i < 101; ++i) { ASSERT_EQ(say(":1\r\n"), ""); }
    EXPECT_EQ(statuses(1), std::vector{op_status::reported});
    EXPECT_TRUE(channel.requests().empty());
}

} // namespace
} // namespace holdfast::test
