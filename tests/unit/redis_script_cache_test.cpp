// script_cache: loads scripts before they are needed, and again when the server has lost them.

#include "unit/redis_channel_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::redis::script;
using engine::redis::script_set;

constexpr script script_1{"one", "1111", "return 1"};
constexpr script script_2{"two", "2222", "return 2"};
constexpr std::array<const script*, 2> both{&script_1, &script_2};
constexpr std::array<const script*, 1> second{&script_2};

class redis_script_cache : public redis_channel {
protected:
    /// The texts that are loaded by what was sent since the last call.
    std::vector<std::string> loads() {
        std::vector<std::string> out;
        for (const auto& command : take_commands()) {
            EXPECT_EQ(command[0] + ' ' + command[1], "SCRIPT LOAD");
            out.push_back(command[2]);
        }
        return out;
    }
    void confirm(int count) {
        for (int i = 0; i < count; ++i) { EXPECT_EQ(say("$4\r\n1111\r\n"), ""); }
    }
};

TEST_F(redis_script_cache, loads_a_set_once_in_a_connection) {
    EXPECT_FALSE(channel.scripts().has(both));
    channel.scripts().ensure(both, now);
    EXPECT_TRUE(channel.scripts().has(both)) << "for whatever is sent after that";
    EXPECT_THAT(loads(), testing::ElementsAre("return 1", "return 2"));
    channel.scripts().ensure(both, now);
    EXPECT_TRUE(loads().empty());
    EXPECT_FALSE(channel.scripts().has(second));
}

TEST_F(redis_script_cache, on_a_new_connection_has_only_what_the_greeting_loaded) {
    channel.scripts().ensure(both, now);
    close({});
    output = {};
    channel.start_session(output, second, "server:6379", now);
    EXPECT_FALSE(channel.scripts().has(both));
    EXPECT_TRUE(channel.scripts().has(second));
    channel.scripts().ensure(second, now);
    EXPECT_TRUE(loads().empty());
}

TEST_F(redis_script_cache, loads_all_again_when_the_server_has_lost_them) {
    channel.scripts().ensure(both, now);
    loads();
    confirm(2);
    channel.scripts().reload(now);
    EXPECT_THAT(loads(), testing::ElementsAre("return 1", "return 2"));
}

TEST_F(redis_script_cache, loads_them_only_once_for_many_refused_commands) {
    channel.scripts().ensure(second, now);
    loads();
    confirm(1);
    channel.scripts().reload(now);
    channel.scripts().reload(now);
    EXPECT_EQ(loads().size(), 1U);
    confirm(1);
    channel.scripts().reload(now);
    EXPECT_EQ(loads().size(), 1U) << "forgotten once more";
}

TEST_F(redis_script_cache, does_not_stop_reloading_because_a_load_was_refused) {
    channel.scripts().ensure(second, now);
    loads();
    EXPECT_EQ(say("-NOPERM no\r\n"), "");
    channel.scripts().reload(now);
    EXPECT_EQ(loads().size(), 1U);
}

TEST_F(redis_script_cache, is_reloaded_after_noscript_and_the_operation_may_retry) {
    class any_handler final : public engine::redis::request_handler {
        bool on_reply(engine::redis::request& /*request*/, const engine::redis::reply& /*reply*/,
                      base::instant /*now*/) override {
            return true;
        }
    } handler;
    channel.scripts().ensure(second, now);
    loads();
    confirm(1);
    channel.send(handler, 0, *start(7), now, [](std::string& out) { out += "*1\r\n$1\r\nx\r\n"; });
    take_commands();
    EXPECT_EQ(say("-NOSCRIPT No matching script\r\n"), "");
    EXPECT_THAT(loads(), testing::ElementsAre("return 2"));
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_TRUE(answers[0].retry_now);
}

} // namespace
} // namespace holdfast::test
