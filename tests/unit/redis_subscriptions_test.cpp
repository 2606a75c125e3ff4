// subscriptions: messages reach their handler, and subscriptions end with the connection.

#include "holdfast/engine/redis/inbox.hpp"
#include "unit/redis_channel_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::redis::inbox;
using kind = engine::notice::kind;

class redis_subscriptions : public redis_channel, private engine::redis::message_handler {
protected:
    void subscribe(const std::string& name, bool sharded = false) {
        channel.subscriptions().add(name, sharded, *this, now);
    }
    void publish(const std::string& name, const std::string& type = "message") {
        say(">3\r\n$" + std::to_string(type.size()) + "\r\n" + type + "\r\n$" +
            std::to_string(name.size()) + "\r\n" + name + "\r\n$2\r\nhi\r\n");
    }
    std::vector<std::string> heard;

private:
    void on_message(std::string_view name, std::string_view payload,
                    base::instant /*now*/) override {
        heard.push_back(std::string{name} + ' ' + std::string{payload});
    }
};

TEST_F(redis_subscriptions, deliver_messages_to_their_handler) {
    subscribe("a");
    EXPECT_THAT(take_commands(), testing::ElementsAre(words{"SUBSCRIBE", "a"}));
    publish("a");
    publish("b");
    EXPECT_THAT(heard, testing::ElementsAre("a hi"));
}

TEST_F(redis_subscriptions, are_made_once) {
    subscribe("a");
    subscribe("a");
    EXPECT_EQ(take_commands().size(), 1U);
    EXPECT_TRUE(channel.subscriptions().has("a"));
}

TEST_F(redis_subscriptions, are_confirmed_by_a_push_between_replies) {
    subscribe("a");
    EXPECT_FALSE(channel.requests().empty());
    publish("a");
    EXPECT_FALSE(channel.requests().empty()) << "a message confirms nothing";
    say(">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n");
    EXPECT_TRUE(channel.requests().empty());
}

TEST_F(redis_subscriptions, are_ended_by_the_command_that_matches_their_kind) {
    subscribe("a");
    subscribe("b", true);
    channel.subscriptions().remove("a", now);
    channel.subscriptions().remove("b", now);
    channel.subscriptions().remove("c", now);
    EXPECT_THAT(take_commands(),
                testing::ElementsAre(words{"SUBSCRIBE", "a"}, words{"SSUBSCRIBE", "b"},
                                     words{"UNSUBSCRIBE", "a"}, words{"SUNSUBSCRIBE", "b"}));
    EXPECT_FALSE(channel.subscriptions().has("a"));
}

TEST_F(redis_subscriptions, end_with_their_connection) {
    subscribe("a");
    close({});
    open();
    EXPECT_FALSE(channel.subscriptions().has("a"));
    subscribe("a");
    EXPECT_EQ(take_commands().size(), 1U);
}

TEST_F(redis_subscriptions, to_the_inbox_deliver_notices) {
    const base::client_id client = base::client_id::make();
    inbox mine{"hf:", client, false};
    mine.attach(*this);
    const auto names = mine.channels();
    ASSERT_EQ(names.size(), 2U);
    EXPECT_THAT(names[0], testing::StartsWith("hf:inbox:"));
    EXPECT_EQ(names[1], "hf:inbox:all");
    mine.on_message(names[0], "g00000000000000ff0000000000000042", now);
    mine.on_message(names[0], "nonsense", now);
    mine.on_message(names[1], "r", now);
    ASSERT_EQ(notices.size(), 2U);
    EXPECT_EQ(notices[0].type, kind::granted);
    EXPECT_EQ(notices[0].number, 255U);
    EXPECT_EQ(notices[0].token, 42U);
    EXPECT_EQ(notices[1].type, kind::inbox_reset) << "the server may have lost its data";
}

TEST(redis_inbox, reads_only_messages_that_scripts_publish) {
    using engine::redis::read_message;
    EXPECT_EQ(read_message("m0000000000000007").type, kind::maybe_free);
    EXPECT_EQ(read_message("m0000000000000007").number, 7U);
    EXPECT_EQ(read_message("b0000000000000007").type, kind::broken) << "of any token";
    EXPECT_EQ(read_message("b00000000000000070000000000000009").token, 9U);
    for (const auto* const wrong :
         {"", "g", "g0000000000000007", "g00000000000000070000000000000000", "x0000000000000007",
          "m000000000000000x", "b00000000000000070000000000000000",
          "g0000000000000007000000000000000x", "m00000000000000070"}) {
        EXPECT_EQ(read_message(wrong).type, kind::inbox_reset) << wrong;
    }
}

} // namespace
} // namespace holdfast::test
