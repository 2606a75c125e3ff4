// Replies to acquires and renewals are held back until enough replicas have acknowledged them.

#include "unit/redis_channel_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;
using engine::redis::connection_loss;
using engine::redis::operation;
using engine::redis::reply;
using engine::redis::request;

/// Grants at a number; notes which requests count as unanswered.
class granting_handler final : public engine::redis::request_handler {
public:
    bool on_reply(request& request, const reply& reply, base::instant /*now*/) override {
        if (reply.is_array()) { items = reply.size(); }
        if (reply.is_array() || reply.is_integer()) { request.op->complete(op_status::granted); }
        return reply.is_array() || reply.is_integer();
    }
    void on_lost(request& request, bool may_arrive, base::instant /*now*/) override {
        lost.emplace_back(request.op->id(), may_arrive);
    }
    std::vector<std::pair<engine::op_id, bool>> lost;
    std::size_t items = 0; ///< of the last list
};

class redis_replica_wait : public redis_channel {
protected:
    redis_replica_wait() : waiting{{.replicas = 2}} {
        waiting.start_session(output, {}, "server:6379", now);
    }
    ~redis_replica_wait() override {
        waiting.end_session();
        waiting.requests().fail_lost({}, now);
    }

    void send(engine::op_id id, bool needs_replicas, bool only_own_writes = false) {
        const auto started = start(id);
        started->needs_replicas = needs_replicas;
        started->only_own_writes = only_own_writes;
        waiting.send(handler, 0, *started, now, [](std::string& out) { out += "PING\r\n"; });
    }
    /// Writes what is buffered; the text of it.
    std::string flush() {
        waiting.before_flush(now);
        output.sent += output.unsent.size();
        output.offered = output.sent;
        waiting.requests().note_sent();
        return std::exchange(output.unsent, {});
    }
    std::string say(std::string_view bytes) {
        std::string fault;
        EXPECT_TRUE(reader.read(bytes, [&](const reply& reply) {
            if (reply.is_push()) {
                waiting.subscriptions().on_push(reply, now);
            } else if (const char* const wrong = waiting.on_reply(reply, now)) {
                fault = wrong;
            }
        }));
        return fault;
    }

    static constexpr std::string_view first_write =
        "*5\r\n$3\r\nSET\r\n$6\r\nhf:ack\r\n$0\r\n\r\n$2\r\nPX\r\n$7\r\n3600000\r\n";
    static constexpr std::string_view next_write =
        "*3\r\n$7\r\nPEXPIRE\r\n$6\r\nhf:ack\r\n$7\r\n3600000\r\n";
    static constexpr std::string_view wait_command = "*3\r\n$4\r\nWAIT\r\n$1\r\n2\r\n$3\r\n100\r\n";
    granting_handler handler;
    engine::redis::command_channel waiting;
    engine::redis::reply_reader reader;
};

TEST_F(redis_replica_wait, is_sent_once_behind_each_batch_that_needs_it) {
    send(1, true);
    send(2, true);
    EXPECT_EQ(flush(), "PING\r\nPING\r\n" + std::string{first_write} + std::string{wait_command});
    EXPECT_EQ(say(":7\r\n:7\r\n+OK\r\n:2\r\n"), "");
    send(3, false);
    EXPECT_EQ(flush(), "PING\r\n") << "a release needs none";
    send(4, true);
    EXPECT_TRUE(waiting.must_ask_replicas());
    EXPECT_EQ(flush(), "PING\r\n" + std::string{next_write} + std::string{wait_command});
    EXPECT_FALSE(waiting.must_ask_replicas());
}

TEST_F(redis_replica_wait, needs_no_write_behind_first_requests_whose_grants_are_writes) {
    send(1, true, true);
    send(2, true, true);
    EXPECT_EQ(flush(), "PING\r\nPING\r\n" + std::string{wait_command});
    EXPECT_EQ(say(":7\r\n:7\r\n:2\r\n"), "");
    EXPECT_EQ(statuses(1), std::vector{op_status::granted});
    EXPECT_EQ(statuses(2), std::vector{op_status::granted});
    send(3, true, true);
    send(4, true); // may have been granted by another client's release
    EXPECT_EQ(flush(), "PING\r\nPING\r\n" + std::string{first_write} + std::string{wait_command});
    EXPECT_EQ(say(":7\r\n:7\r\n-OOM command not allowed\r\n:2\r\n"), "");
    EXPECT_EQ(statuses(4), std::vector{op_status::unknown});
    send(5, true, true);
    EXPECT_EQ(flush(), "PING\r\n" + std::string{wait_command}) << "each batch by itself";
    EXPECT_EQ(say(":7\r\n:1\r\n"), "");
    EXPECT_EQ(statuses(5), std::vector{op_status::unknown}) << "one of two replicas";
}

TEST_F(redis_replica_wait, says_nothing_without_the_write_before_it) {
    for (const std::string_view refused : {"-OOM command not allowed\r\n", ":0\r\n"}) {
        answers.clear();
        send(1, true);
        (void)flush();
        EXPECT_EQ(say(":7\r\n" + std::string{refused} + ":2\r\n"), "");
        ASSERT_EQ(statuses(1), std::vector{op_status::unknown}) << refused;
        EXPECT_THAT(answers[0].detail, testing::HasSubstr("hf:ack"));
        EXPECT_TRUE(waiting.requests().empty());
    }
    send(2, true);
    EXPECT_THAT(flush(), testing::HasSubstr("SET")) << "it is gone: it is made again";
    EXPECT_EQ(say(":7\r\n+OK\r\n:2\r\n"), "");
    EXPECT_EQ(statuses(2), std::vector{op_status::granted});
}

TEST_F(redis_replica_wait, holds_the_replies_back_until_enough_have_acknowledged) {
    send(1, true);
    send(2, false);
    send(3, true);
    (void)flush();
    EXPECT_EQ(say(":7\r\n:1\r\n*2\r\n:1\r\n$2\r\nab\r\n"), "");
    EXPECT_TRUE(answers.empty())
        << "also what is behind one that is held back: replies have an order";
    EXPECT_EQ(say("+OK\r\n:2\r\n"), "");
    EXPECT_EQ(statuses(1), std::vector{op_status::granted});
    EXPECT_EQ(statuses(2), std::vector{op_status::granted});
    EXPECT_EQ(statuses(3), std::vector{op_status::granted});
    EXPECT_EQ(handler.items, 2U) << "a list is kept as it was";
    EXPECT_TRUE(waiting.requests().empty());
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_replica_wait, makes_requests_that_too_few_have_acknowledged_unknown) {
    send(1, true);
    send(2, false);
    (void)flush();
    EXPECT_EQ(say(":7\r\n:1\r\n+OK\r\n:1\r\n"), "");
    ASSERT_EQ(statuses(1), std::vector{op_status::unknown});
    EXPECT_EQ(answers[0].error, make_error_code(errc::unavailable));
    EXPECT_THAT(answers[0].detail, testing::HasSubstr("1 of 2 replicas"));
    EXPECT_THAT(handler.lost, testing::ElementsAre(std::pair{1, true})) << "it was executed";
    EXPECT_EQ(statuses(2), std::vector{op_status::granted}) << "this one does not need them";
    EXPECT_TRUE(waiting.lacks_replicas()) << "so a later time-out can name the cause";
    send(9, true);
    flush();
    EXPECT_EQ(say(":7\r\n:1\r\n:2\r\n"), "");
    EXPECT_FALSE(waiting.lacks_replicas());
}

TEST_F(redis_replica_wait, counts_an_error_as_no_acknowledgement) {
    send(1, true);
    (void)flush();
    EXPECT_THAT(say(":7\r\n+OK\r\n-UNBLOCKED force unblock from blocking operation\r\n"),
                testing::HasSubstr("replica"))
        << "it is no master any more: the connection must end";
    ASSERT_EQ(statuses(1), std::vector{op_status::unknown});
    EXPECT_EQ(answers[0].error, make_error_code(errc::unavailable));
    EXPECT_THAT(answers[0].detail, testing::HasSubstr("UNBLOCKED"));
}

TEST_F(redis_replica_wait, delivers_a_refusal_as_such_whatever_the_replicas_say) {
    send(1, true);
    (void)flush();
    EXPECT_EQ(say("-OOM out of memory\r\n+OK\r\n:0\r\n"), "");
    ASSERT_EQ(statuses(1), std::vector{op_status::failed});
    EXPECT_EQ(answers[0].error, make_error_code(errc::store_full));
}

TEST_F(redis_replica_wait, makes_replies_unknown_that_are_held_back_when_the_connection_ends) {
    send(1, true);
    (void)flush();
    EXPECT_EQ(say(":7\r\n"), "");
    waiting.end_session();
    waiting.requests().fail_lost({make_error_code(errc::unavailable), "it broke", true}, now);
    EXPECT_EQ(statuses(1), std::vector{op_status::unknown});
    waiting.start_session(output, {}, "server:6379", now);
    send(2, false);
    EXPECT_EQ(flush(), "PING\r\n");
    EXPECT_EQ(say(":1\r\n"), "");
    EXPECT_EQ(statuses(2), std::vector{op_status::granted}) << "nothing is held back any more";
}

TEST_F(redis_replica_wait, covers_a_later_batch_by_a_wait_of_its_own) {
    send(1, true);
    (void)flush();
    send(2, true);
    (void)flush();
    EXPECT_EQ(say(":7\r\n+OK\r\n:2\r\n"), "");
    EXPECT_EQ(statuses(1), std::vector{op_status::granted});
    EXPECT_TRUE(statuses(2).empty());
    EXPECT_EQ(say(":8\r\n+OK\r\n:0\r\n"), "");
    EXPECT_EQ(statuses(2), std::vector{op_status::unknown});
}

/// Counts nothing: it only has to be there.
class silent_handler final : public engine::redis::message_handler {
public:
    void on_message(std::string_view /*channel*/, std::string_view /*payload*/,
                    base::instant /*now*/) override {}
};

TEST_F(redis_replica_wait, keeps_subscriptions_that_are_confirmed_meanwhile_in_their_place) {
    silent_handler inbox;
    send(1, true);
    waiting.subscriptions().add("news", false, inbox, now);
    send(2, false);
    (void)flush();
    EXPECT_EQ(say(":7\r\n>3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n:8\r\n+OK\r\n:2\r\n"), "");
    EXPECT_EQ(statuses(1), std::vector{op_status::granted});
    EXPECT_EQ(statuses(2), std::vector{op_status::granted});
    EXPECT_TRUE(waiting.requests().empty());
}

} // namespace
} // namespace holdfast::test
