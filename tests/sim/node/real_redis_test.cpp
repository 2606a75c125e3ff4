// The simulated server answers as a real one does: random commands, and random calls of the shipped
// scripts, run on both.

#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/redis/layout/native/native_commands.hpp"
#include "sim/node/lua_vm.hpp"
#include "sim/node/resp_writer.hpp"
#include "sim/node/script_library.hpp"
#include "sim/node/sim_redis.hpp"
#include "support/environment.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace holdfast::sim {
namespace {

using test::redis_reply;
using text_list = std::vector<std::string>;

constexpr sim_redis::session_id control = 1;
constexpr sim_redis::session_id subscriber = 2;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

/// Scripts that read the time from keys, so that both servers have the same.
std::string with_time_in_keys(std::string_view text) {
    constexpr std::string_view clock =
        "{redis.call('GET', 'time:s'), redis.call('GET', 'time:us')}";
    std::string out{text};
    replace_all(out, "redis.call('TIME')", clock);
    replace_all(out, " call('TIME')", " " + std::string{clock});
    return out;
}

/// Without the place in the script, which servers append to errors.
std::string comparable(const redis_reply& reply) {
    const auto text = reply.text();
    return text.substr(0, text.find(" script: "));
}

class real_redis : public testing::Test {
protected:
    real_redis() {
        node_.open(control);
        node_.open(subscriber);
    }

    redis_reply ask_node(const text_list& command) {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        node_.set_clock(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
        std::string bytes;
        resp_writer writer{bytes, false};
        writer.array(command.size());
        for (const auto& word : command) { writer.bulk(word); }
        node_.receive(control, bytes);
        std::string reply;
        node_.take_output([&](sim_redis::session_id session, const std::string& output) {
            if (session == control) { reply = output; }
        });
        std::string_view rest{reply};
        return *redis_reply::take(rest);
    }
    redis_reply ask_server(const text_list& command) { return server_.command(command); }

    /// On both; fails the test if the replies differ.
    void ask_both(const text_list& command, const text_list& on_server) {
        const auto simulated = ask_node(command);
        const auto real = ask_server(on_server);
        ASSERT_EQ(comparable(simulated), comparable(real)) << testing::PrintToString(command);
    }
    void ask_both(const text_list& command) { ask_both(command, command); }

    [[nodiscard]] unsigned below(unsigned bound) {
        return std::uniform_int_distribution<unsigned>{0, bound - 1}(random_);
    }
    template <typename List>
    [[nodiscard]] auto any_of(const List& list) {
        return list[below(static_cast<unsigned>(list.size()))];
    }

    test::redis_server server_;
    unsigned seed_ = test::seed_of_this_run();
    std::mt19937 random_{seed_};
    lua_vm vm_;
    script_library scripts_{vm_, with_time_in_keys};
    sim_redis node_{scripts_};
};

TEST_F(real_redis, gives_the_same_replies_to_random_commands) {
    const text_list keys{"a", "b", "c"};
    const text_list members{"x", "y", "z"};
    const text_list values{"1", "25", "text", "17947757324363000", "-3"};
    for (unsigned round = 0; round < 4000; ++round) {
        const auto key = any_of(keys);
        const auto member = any_of(members);
        const auto value = any_of(values);
        const std::vector<text_list> choices{
            {"GET", key},
            {"SET", key, value},
            {"SET", key, value, "NX"},
            {"SET", key, value, "PX", "100000", "GET"},
            {"SET", key, value, "KEEPTTL"},
            {"SETRANGE", key, "3", value},
            {"INCR", key},
            {"DEL", key, any_of(keys)},
            {"EXISTS", key, any_of(keys)},
            {"TYPE", key},
            {"PEXPIRE", key, "90000"},
            {"PEXPIRE", key, "80000", "GT"},
            {"HGET", key, member},
            {"HSET", key, member, value, any_of(members), "v"},
            {"HSETNX", key, member, value},
            {"HDEL", key, member, any_of(members)},
            {"HINCRBY", key, member, "7"},
            {"HGETALL", key},
            {"ZADD", key, std::to_string(below(5)), member},
            {"ZREM", key, member, any_of(members)},
            {"ZRANGE", key, std::to_string(below(3)), "-1"},
            {"ZRANGE", key, "0", std::to_string(below(3)), "WITHSCORES"},
            {"ZRANGEBYSCORE", key, "-inf", "2", "LIMIT", "0", "2"},
            {"ZREMRANGEBYSCORE", key, "-inf", std::to_string(below(3))},
            {"ZRANK", key, member},
            {"ZSCORE", key, member},
            {"ZCARD", key},
            {"PUBLISH", "channel", value},
        };
        ask_both(any_of(choices));
        if (HasFatalFailure()) {
            ADD_FAILURE() << "seed " << seed_ << ", round " << round;
            return;
        }
    }
}

class real_scripts : public real_redis {
protected:
    real_scripts() {
        identity_.host = "host";
        for (const auto* const script : engine::redis::scripts::session_scripts) { load(*script); }
        load(engine::redis::scripts::exchange);
        for (std::uint8_t at = 0; at < 3; ++at) { clients_.push_back({{at, 1, 2, 3}}); }
        // One of the clients listens.
        const std::string inbox = "hf:inbox:00010203000000000000000000000000";
        listening_.send({"SUBSCRIBE", inbox});
        static_cast<void>(listening_.read());
        std::string bytes;
        resp_writer writer{bytes, false};
        writer.array(2);
        writer.bulk("SUBSCRIBE");
        writer.bulk(inbox);
        node_.receive(subscriber, bytes);
    }

    void load(const engine::redis::script& script) {
        static_cast<void>(ask_node({"SCRIPT", "LOAD", std::string{script.text}}));
        const auto reply = ask_server({"SCRIPT", "LOAD", with_time_in_keys(script.text)});
        sha_on_server_[std::string{script.sha}] = reply.string();
    }

    void set_time() {
        now_us_ += below(100) < 5 ? below(3'000'000) : below(20'000);
        if (below(500) == 0) { now_us_ -= below(2'000'000); } // a step back
        ask_both({"SET", "time:s", std::to_string(now_us_ / 1'000'000)});
        ask_both({"SET", "time:us", std::to_string(now_us_ % 1'000'000)});
    }

    [[nodiscard]] engine::ticket any_ticket() {
        return {any_of(names_), {any_of(clients_), 1 + below(6)}};
    }

    [[nodiscard]] engine::acquire_op any_acquire() {
        engine::acquire_op out;
        out.ticket = any_ticket();
        out.lease = base::milliseconds{any_of(std::vector<int>{100, 1000, 60'000})};
        out.queue = any_of(std::vector<engine::queueing>{
            engine::queueing::no, engine::queueing::hint, engine::queueing::grant});
        if (out.ticket.name == "readers") {
            out.kind = primitive::shared_mutex;
            out.mode = below(2) == 0 ? mode::shared : mode::exclusive;
        } else if (out.ticket.name == "permits") {
            out.kind = primitive::semaphore;
            out.mode = mode::permits;
            out.permits = 1 + below(2);
            out.limit = 3;
        }
        if (below(10) == 0) { out.min_hold = base::milliseconds{200}; }
        return out;
    }

    [[nodiscard]] engine::beat_op any_beat() {
        engine::beat_op out;
        for (auto count = 1 + below(3); count > 0; --count) {
            auto& item = out.items.emplace_back();
            item.ticket = any_ticket();
            item.waiting = below(2) == 0;
            item.lease = base::milliseconds{any_of(std::vector<int>{200, 1500, 50'000})};
            item.order = below(20);
        }
        return out;
    }

    engine::redis::server_clock clock_; ///< only for reclaims, which it does not make

    /// A command of the library, as words.
    [[nodiscard]] text_list any_command() {
        std::string bytes;
        const engine::redis::validity validity{now_us_ - 50'000 + below(200'000),
                                               below(4) == 0 ? now_us_ - 60'000 : 0};
        switch (below(9)) {
        case 0:
        case 1:
        case 2: commands_.acquire(bytes, any_acquire(), validity); break;
        case 3: commands_.release(bytes, any_ticket(), 0); break;
        case 4:
            commands_.withdraw(bytes, any_ticket(), {0, below(2) == 0 ? now_us_ + 9000 : 0});
            break;
        case 5: commands_.exchange(bytes, any_ticket(), 0, any_acquire(), validity); break;
        case 6: commands_.break_lock(bytes, {any_of(names_)}); break;
        case 7: commands_.inspect(bytes, any_of(names_)); break;
        default: commands_.beat(bytes, any_beat(), clock_, base::never); break;
        }
        std::string_view rest{bytes};
        text_list out;
        const auto command = redis_reply::take(rest);
        for (const auto& word : command->items()) { out.push_back(word.string()); }
        return out;
    }

    void compare_keys() {
        std::set<std::string> keys;
        for (const auto& [key, entry] : node_.keys().all()) { keys.insert(key); }
        const auto all = ask_server({"KEYS", "*"});
        for (const auto& key : all.items()) { keys.insert(key.string()); }
        for (const auto& key : keys) {
            ask_both({"TYPE", key});
            const auto type = ask_node({"TYPE", key}).string();
            if (type == "string") { ask_both({"GET", key}); }
            if (type == "zset") { ask_both({"ZRANGE", key, "0", "-1", "WITHSCORES"}); }
            const auto left = ask_node({"PTTL", key}).number();
            EXPECT_NEAR(static_cast<double>(left),
                        static_cast<double>(ask_server({"PTTL", key}).number()), 2000)
                << key;
        }
    }

    engine::client_identity identity_;
    engine::redis::native_commands commands_{"hf:", identity_};
    std::vector<base::client_id> clients_;
    text_list names_{"mutex", "other", "readers", "permits"};
    std::map<std::string, std::string> sha_on_server_;
    test::redis_raw listening_{server_.unix_path()};
    std::int64_t now_us_ = 1'794'775'732'436'300;
};

TEST_F(real_scripts, do_the_same_on_the_simulated_server) {
    const unsigned rounds = test::by_run_length(3000U, 20'000U);
    for (unsigned round = 0; round < rounds; ++round) {
        set_time();
        const auto command = any_command();
        auto on_server = command;
        on_server[1] = sha_on_server_.at(command[1]);
        ask_both(command, on_server);
        if (round % 100 == 0) { compare_keys(); }
        if (HasFailure()) {
            ADD_FAILURE() << "seed " << seed_ << ", round " << round;
            return;
        }
    }
}

} // namespace
} // namespace holdfast::sim
