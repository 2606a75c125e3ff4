// A client finds out which incarnation of its data a server has, before it asks for anything.

#include "holdfast/engine/redis/scripts.hpp"
#include "unit/redis_channel_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::redis::grace_period;
using testing::ElementsAre;
using testing::HasSubstr;

/// Grants everything.
class granting_handler final : public engine::redis::request_handler {
public:
    bool on_reply(engine::redis::request& request, const engine::redis::reply& /*reply*/,
                  base::instant /*now*/) override {
        request.op->complete(engine::op_status::granted);
        return true;
    }
};

class redis_incarnation : public redis_channel {
protected:
    ~redis_incarnation() override { end(); }

    /// A connection of a client with these options.
    void begin(unsigned replicas = 0) {
        subject = std::make_unique<engine::redis::command_channel>(engine::redis::channel_options{
            .replicas = replicas, .max_lease = max_lease, .prefix = "hf:"});
        subject->start_session(output, {}, "server:6379", now);
    }
    void end() {
        if (!subject) { return; }
        subject->end_session();
        subject->requests().fail_lost({}, now);
    }
    /// The first words of what was enqueued, and the arguments of the last verify.
    std::vector<std::string> sent() {
        std::vector<std::string> out;
        for (const auto& command : take_commands()) {
            out.push_back(command[0] == "EVALSHA" ? "verify" : command[0]);
            if (command[0] == "EVALSHA") { arguments = {command.begin() + 4, command.end()}; }
        }
        subject->requests().note_sent();
        return out;
    }
    void say(std::string_view bytes) {
        EXPECT_TRUE(reader.read(bytes, [&](const engine::redis::reply& reply) {
            EXPECT_EQ(subject->on_reply(reply, now), nullptr);
        }));
    }
    static std::string verified(const std::string& id, bool known, base::milliseconds lease) {
        return "*4\r\n$16\r\n" + id + "\r\n:" + (known ? "1" : "0") +
               "\r\n:" + std::to_string(lease.count()) + "\r\n:0\r\n";
    }
    /// Up to a known incarnation.
    void learn(const std::string& id, unsigned replicas = 0) {
        begin(replicas);
        (void)sent();
        say("+OK\r\n" + verified(id, true, max_lease));
    }
    [[nodiscard]] engine::redis::incarnation& incarnation() { return subject->incarnation(); }

    static constexpr base::milliseconds max_lease = 5s;
    const std::string first = "aaaaaaaaaaaaaaaa";
    const std::string second = "bbbbbbbbbbbbbbbb";
    granting_handler handler;
    std::unique_ptr<engine::redis::command_channel> subject;
    std::vector<std::string> arguments;
    engine::redis::reply_reader reader;
};

TEST_F(redis_incarnation, is_off_without_max_lease) {
    EXPECT_FALSE(channel.incarnation().is_on());
    EXPECT_TRUE(channel.incarnation().is_known());
    EXPECT_TRUE(take_commands().empty());
}

TEST_F(redis_incarnation, is_asked_for_before_anything_else) {
    begin();
    EXPECT_FALSE(incarnation().is_known());
    EXPECT_THAT(sent(), ElementsAre("SCRIPT", "verify"));
    EXPECT_THAT(arguments, ElementsAre("00005000", "6100000", ""));
    EXPECT_FALSE(incarnation().is_known());
    say("+OK\r\n" + verified(first, true, max_lease));
    EXPECT_TRUE(incarnation().is_known());
    EXPECT_EQ(incarnation().id(), first);
    EXPECT_TRUE(incarnation().take_news());
    EXPECT_FALSE(incarnation().take_news()) << "only once";
}

TEST_F(redis_incarnation, counts_from_when_enough_replicas_follow_it) {
    begin(1);
    (void)sent();
    say("+OK\r\n" + verified(first, false, max_lease));
    EXPECT_THAT(sent(), ElementsAre("SET", "WAIT"));
    EXPECT_FALSE(incarnation().is_known());
    say("+OK\r\n:0\r\n");
    EXPECT_TRUE(sent().empty()) << "too few: again after a pause";
    EXPECT_GT(incarnation().due(), now);
    now = incarnation().due();
    incarnation().on_timer(now);
    EXPECT_THAT(sent(), ElementsAre("verify"));
    EXPECT_EQ(arguments[2], "") << "nothing is confirmed";
    say(verified(first, false, max_lease));
    EXPECT_THAT(sent(), ElementsAre("SET", "WAIT"));
    say("+OK\r\n:1\r\n");
    EXPECT_THAT(sent(), ElementsAre("verify"));
    EXPECT_EQ(arguments[2], first) << "now the grace period begins";
    say(verified(first, true, max_lease));
    EXPECT_TRUE(incarnation().is_known());
}

TEST_F(redis_incarnation, is_asked_for_again_when_the_server_says_that_it_is_stale) {
    learn(first);
    EXPECT_TRUE(incarnation().take_news());
    (void)sent();
    incarnation().on_stale(now);
    incarnation().on_stale(now);
    EXPECT_FALSE(incarnation().is_known()) << "nothing is sent meanwhile";
    EXPECT_THAT(sent(), ElementsAre("verify")) << "once";
    say(verified(second, true, max_lease));
    EXPECT_EQ(incarnation().id(), second);
    EXPECT_TRUE(incarnation().take_news()) << "holders must make their holds again";
}

TEST_F(redis_incarnation, is_asked_for_again_before_another_server_can_have_granted_anything) {
    learn(first);
    (void)sent();
    now += grace_period(max_lease) / 2 - 1ms;
    incarnation().refresh(now);
    EXPECT_TRUE(sent().empty());
    now += 1ms;
    incarnation().refresh(now);
    incarnation().refresh(now);
    EXPECT_THAT(sent(), ElementsAre("verify")) << "once";
    EXPECT_TRUE(incarnation().is_known()) << "requests go on";
    say(verified(first, true, max_lease));
    EXPECT_FALSE(incarnation().fault());
    incarnation().refresh(now);
    EXPECT_TRUE(sent().empty());
}

TEST_F(redis_incarnation, that_has_changed_unnoticed_ends_the_connection) {
    learn(first);
    now += grace_period(max_lease);
    incarnation().refresh(now);
    say(verified(second, true, max_lease));
    ASSERT_TRUE(incarnation().fault()) << "what was sent behind the question counts for nothing";
    EXPECT_EQ(incarnation().fault()->code, errc::unavailable);
    EXPECT_FALSE(incarnation().is_known());
}

TEST_F(redis_incarnation, with_another_max_lease_is_refused) {
    begin();
    (void)sent();
    say("+OK\r\n" + verified(first, true, 60s));
    ASSERT_TRUE(incarnation().fault());
    EXPECT_EQ(incarnation().fault()->code, errc::invalid_option);
    EXPECT_THAT(incarnation().fault()->reason,
                testing::AllOf(HasSubstr("60000 ms"), HasSubstr("5000 ms")));
}

TEST_F(redis_incarnation, must_be_learned_anew_on_each_connection) {
    learn(first);
    end();
    EXPECT_FALSE(incarnation().is_known());
    output = {};
    subject->start_session(output, {}, "server:6379", now);
    EXPECT_THAT(sent(), ElementsAre("SCRIPT", "verify"));
}

TEST_F(redis_incarnation, begins_its_grace_period_at_once_without_replicas) {
    begin();
    (void)sent();
    say("+OK\r\n" + verified(first, false, max_lease));
    EXPECT_THAT(sent(), ElementsAre("verify"));
    EXPECT_EQ(arguments[2], first);
}

TEST_F(redis_incarnation, is_confirmed_behind_each_batch_that_needs_replicas) {
    learn(first, 1);
    (void)sent();
    const auto acquire = start(1);
    acquire->needs_replicas = true;
    subject->send(handler, 0, *acquire, now,
                  [](std::string& out) { out += "*1\r\n$7\r\nacquire\r\n"; });
    subject->before_flush(now);
    EXPECT_THAT(sent(), ElementsAre("acquire", "verify", "SET", "WAIT"));
    say(":7\r\n");
    say(verified(second, true, max_lease));
    EXPECT_TRUE(incarnation().fault()) << "before the reply to the acquire counts";
    EXPECT_TRUE(answers.empty());
}

} // namespace
} // namespace holdfast::test
