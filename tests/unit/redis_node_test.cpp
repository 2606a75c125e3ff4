// The parts of a node: which server it accepts, its greeting, watchdog, watermark and clock.

#include "holdfast/engine/redis/inbox.hpp"
#include "holdfast/engine/redis/node/greeting.hpp"
#include "holdfast/engine/redis/op_target.hpp"
#include "holdfast/engine/redis/topology/standalone.hpp"
#include "unit/redis_channel_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::redis::greeting;
using engine::redis::hello;
using engine::redis::receive_watermark;
using engine::redis::server_clock;
using engine::redis::standalone;
using engine::redis::watchdog;

class no_listener final : public engine::redis::node_listener {
    void on_ready(engine::redis::node& /*node*/, bool /*again*/, base::instant /*now*/) override {}
    void on_ended(engine::redis::node& /*node*/,
                  const engine::redis::connection_loss& /*loss*/) override {}
};

engine::redis::op_target named(std::string_view name) {
    static constexpr engine::lock_format format;
    return {&format, name};
}

class redis_standalone : public testing::Test {
protected:
    no_listener listener;
    engine::redis::inbox inbox{"hf:", base::client_id::make(), false};
    engine::redis::options options{.server = {.host = "example", .port = 7000}};
    standalone topology{options, inbox.channels(), inbox, listener};
};

TEST_F(redis_standalone, has_one_node_for_all_names) {
    ASSERT_EQ(topology.nodes().size(), 1U);
    EXPECT_EQ(&topology.node_for(named("a")), topology.nodes()[0]);
    EXPECT_EQ(&topology.node_for(named("b")), topology.nodes()[0]);
    EXPECT_EQ(&topology.node_for(named("")), topology.nodes()[0]);
}

TEST_F(redis_standalone, accepts_only_a_master_that_runs_alone) {
    EXPECT_FALSE(topology.reject({"redis", "7.0.15", "standalone", "master"}));
    const auto cluster = topology.reject({"redis", "7.0.15", "cluster", "master"});
    ASSERT_TRUE(cluster);
    EXPECT_EQ(cluster->code, make_error_code(errc::unsupported));
    const auto replica = topology.reject({"redis", "7.0.15", "standalone", "replica"});
    ASSERT_TRUE(replica);
    EXPECT_EQ(replica->code, make_error_code(errc::unavailable)) << "it may become a master";
}

TEST_F(redis_standalone, is_not_connected_before_it_is_needed) {
    auto& node = topology.node_for(named("a"));
    EXPECT_FALSE(node.is_ready());
    EXPECT_EQ(node.due(), base::never);
    EXPECT_EQ(node.why_not_ready(), "Redis at example:7000: not connected yet");
    EXPECT_LT(node.start_direct_read().descriptor, 0);
    std::vector<pollfd> watched;
    node.pollables(watched);
    EXPECT_TRUE(watched.empty());
}

TEST(redis_op_target, is_the_lock_that_an_operation_concerns) {
    using namespace holdfast::engine;
    const lock_format plain{holdfast::layout::plain, true};
    const ticket stock{"stock", {}, plain};
    acquire_op acquire;
    acquire.ticket = stock;
    for (const op& each : {op{acquire}, op{release_op{stock}}, op{withdraw_op{stock}},
                           op{inspect_op{"stock", plain}}, op{break_op{"stock", 0, plain}},
                           op{beat_op{{{stock}, {stock}}}}}) {
        EXPECT_EQ(redis::target_of(each).name, "stock") << each.index();
        EXPECT_EQ(*redis::target_of(each).format, plain) << each.index();
    }
    const list_op list{"a", {}, 100, plain};
    EXPECT_EQ(redis::target_of(op{list}).name, "");
    EXPECT_EQ(*redis::target_of(op{list}).format, plain);
    EXPECT_EQ(redis::target_of(op{beat_op{}}).name, "");
    EXPECT_EQ(*redis::target_of(op{beat_op{}}).format, lock_format{});
    EXPECT_EQ(redis::target_of(op{diagnose_op{}}).format->layout, holdfast::layout::native);
}

class redis_node_greeting : public testing::Test {
protected:
    /// Whether it accepts each reply in turn.
    std::vector<bool> say(std::string_view bytes) {
        std::vector<bool> out;
        EXPECT_TRUE(reader.read(bytes, [&](const engine::redis::reply& reply) {
            out.push_back(!mine.on_reply(reply, clock, now));
        }));
        return out;
    }
    static constexpr engine::redis::script sample_script{"one", "1111", "return 1"};
    static constexpr std::array<const engine::redis::script*, 1> scripts{&sample_script};
    greeting mine{{"a", "b"}, scripts};
    engine::redis::reply_reader reader;
    server_clock clock;
    base::instant now{1h};
};

constexpr std::string_view confirmed = ">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"
                                       ">3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n";

TEST_F(redis_node_greeting, is_answered_by_pushes_shas_and_the_time) {
    mine.start(now);
    EXPECT_EQ(mine.reply_count(), 4U);
    EXPECT_THAT(say(std::string{confirmed} + "$4\r\n1111\r\n*2\r\n$2\r\n17\r\n$1\r\n5\r\n"),
                testing::Each(true));
    EXPECT_EQ(clock.translate(now), 17'000'005);
}

TEST_F(redis_node_greeting, starts_over_with_each_connection) {
    mine.start(now);
    EXPECT_THAT(say(confirmed), testing::Each(true));
    mine.start(now);
    EXPECT_THAT(say(confirmed), testing::Each(true));
}

TEST_F(redis_node_greeting, rejects_other_replies) {
    mine.start(now);
    EXPECT_THAT(say("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"), testing::ElementsAre(false))
        << "a server without RESP3";
    mine.start(now);
    EXPECT_THAT(say(std::string{confirmed} + "$4\r\n2222\r\n"),
                testing::ElementsAre(true, true, false));
    mine.start(now);
    EXPECT_THAT(say(std::string{confirmed} + "$4\r\n1111\r\n:17\r\n"),
                testing::ElementsAre(true, true, true, false));
}

TEST(redis_watchdog, ends_the_connection_to_a_server_that_is_silent_while_a_renewal_waits) {
    const base::instant sent{1h};
    watchdog dog{2s};
    EXPECT_EQ(dog.deadline(sent), sent + 2s);
    dog.on_unanswered_renewal(sent, sent + 1s);
    EXPECT_TRUE(dog.renewal_failed());
    dog.on_data(sent + 2s);
    EXPECT_FALSE(dog.renewal_failed()) << "it lives";
}

TEST(redis_watchdog, waits_for_a_server_that_is_merely_busy) {
    const base::instant sent{1h};
    watchdog dog{2s};
    dog.on_data(sent + 600ms);
    dog.on_unanswered_renewal(sent, sent + 1s);
    EXPECT_FALSE(dog.renewal_failed()) << "it spoke in the second half of that time";
    dog.on_unanswered_renewal(sent, sent + 1200ms);
    EXPECT_TRUE(dog.renewal_failed());
    dog.end_session();
    EXPECT_FALSE(dog.renewal_failed());
}

TEST(redis_receive_watermark, is_raised_only_for_replies_that_can_wait) {
    receive_watermark mark{2s};
    EXPECT_EQ(mark.longest(), 200ms);
    EXPECT_EQ(receive_watermark{100ms}.longest(), 50ms) << "read before it counts as missing";
    mark.add(1);
    EXPECT_FALSE(mark.wants_raising(1));
    mark.note_queue(true);
    EXPECT_TRUE(mark.wants_raising(1));
    EXPECT_FALSE(mark.wants_raising(2)) << "somebody waits for the other";
    mark.add(2);
    EXPECT_TRUE(mark.wants_raising(3));
    mark.remove(1);
    EXPECT_TRUE(mark.wants_raising(2));
    mark.note_queue(false);
    EXPECT_FALSE(mark.wants_raising(2));
}

using redis_server_clock = redis_channel;

TEST_F(redis_server_clock, is_requested_every_ten_seconds) {
    auto& clock = channel.clock();
    clock.learn(5'000'000, now, now);
    clock.refresh(channel.requests(), now + 9s);
    EXPECT_TRUE(take_commands().empty());
    clock.refresh(channel.requests(), now + 10s);
    clock.refresh(channel.requests(), now + 10s);
    EXPECT_THAT(take_command_names(), testing::ElementsAre("TIME"));
    now += 11s;
    EXPECT_EQ(say("*2\r\n$2\r\n99\r\n$1\r\n1\r\n"), "");
    EXPECT_EQ(clock.translate(now - 1s), 99'000'001) << "as of when it was asked";
    EXPECT_EQ(clock.translate(base::never), INT64_MAX);
}

} // namespace
} // namespace holdfast::test
