#pragma once
// A Redis engine over a cluster of servers that exist only in memory, in virtual time.

#include "holdfast/engine/redis/protocol/hash_slot.hpp"
#include "holdfast/engine/redis/redis_engine.hpp"
#include "support/redis_fake.hpp"
#include "support/redis_reply.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::test {

using namespace std::chrono_literals;

/// A server in memory: it replies at once, unless it is down or silent.
struct memory_server {
    using words = redis_fake::words;

    bool up = true;
    bool silent = false; ///< it replies to what it gets when this ends
    std::string mode = "cluster";
    std::string role = "master";
    std::function<std::string(const words&)> on_script; ///< replies to EVALSHA
    std::function<std::string(const words&)> on_command;
    std::vector<words> commands; ///< after the greeting, without those of the connection
};

/// A connection to it.
class memory_stream final : public net::stream {
public:
    memory_stream(memory_server& server, int descriptor)
        : server_{server}, descriptor_{descriptor} {}

    [[nodiscard]] net::stream_state state() const noexcept override {
        return server_.up && !broken_ ? net::stream_state::open : net::stream_state::failed;
    }
    [[nodiscard]] const std::string& failure() const noexcept override { return failure_; }
    [[nodiscard]] bool failure_is_permanent() const noexcept override { return false; }
    [[nodiscard]] std::string_view step() const noexcept override { return {}; }
    [[nodiscard]] pollfd pollable() const noexcept override { return {descriptor_, POLLIN, 0}; }
    void progress() override {}
    [[nodiscard]] std::size_t read(std::span<char> into) override {
        if (!server_.silent) { replies_ += std::exchange(held_, {}); }
        const auto count = std::min(into.size(), replies_.size());
        std::copy_n(replies_.begin(), count, into.begin());
        replies_.erase(0, count);
        return count;
    }
    [[nodiscard]] std::size_t write(std::span<const char> from) override {
        std::string_view rest{from.data(), from.size()};
        while (const auto command = redis_reply::take(rest)) {
            memory_server::words request;
            for (const auto& word : command->items()) { request.push_back(word.string()); }
            (server_.silent ? held_ : replies_) += answer(request);
        }
        return from.size();
    }
    [[nodiscard]] int plain_descriptor() const noexcept override { return -1; }

private:
    [[nodiscard]] std::string answer(const memory_server::words& request) {
        const auto& name = request.at(0);
        if (name == "HELLO" && request.at(1) == "2") {
            auto out = redis_fake::usual(request);
            replace(out, "$10\r\nstandalone", redis_fake::bulk(server_.mode));
            replace(out, "$6\r\nmaster", redis_fake::bulk(server_.role));
            return out;
        }
        if (name == "SCRIPT") { return redis_fake::bulk(sha_of(request.at(2))); }
        if (name == "TIME") { return "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n"; }
        if (name != "EVALSHA" && name != "ASKING" && name != "CLUSTER" && name != "SCAN") {
            return redis_fake::usual(request);
        }
        if (name != "CLUSTER") { server_.commands.push_back(request); }
        if (name == "ASKING") { return "+OK\r\n"; }
        if (name != "EVALSHA") { return server_.on_command(request); }
        return server_.on_script ? server_.on_script(request) : ":1700000000000001\r\n";
    }
    static std::string sha_of(const std::string& text) {
        for (const auto* const each : engine::redis::scripts::cluster_session_scripts) {
            if (each->text == text) { return std::string{each->sha}; }
        }
        return std::string{engine::redis::scripts::cluster_exchange.sha};
    }
    static void replace(std::string& text, const std::string& from, const std::string& to) {
        const auto at = text.find(from);
        text.replace(at, from.size() + 2, to);
    }

    memory_server& server_;
    const int descriptor_;
    bool broken_ = false;
    std::string replies_;
    std::string held_; ///< replies of a silent server
    const std::string failure_ = "connection refused";
};

class fixed_time final : public base::time_source {
public:
    [[nodiscard]] base::instant now() const noexcept override { return at; }
    [[nodiscard]] std::int64_t wall_us() const noexcept override { return 1; }
    base::instant at{1h};
};

/// Three masters a:1, b:2 and c:3 serve a third of the slots each; a:1 and b:2 are in the URL.
class redis_cluster : public testing::Test, protected engine::sink {
protected:
    redis_cluster() {
        for (const char* const each : {"a:1", "b:2", "c:3"}) { add_server(each); }
        slots_are({{0, 5460, "a:1"}, {5461, 10922, "b:2"}, {10923, 16383, "c:3"}});
        make_engine("redis+cluster://a:1,b:2");
    }

    void make_engine(const std::string& url) {
        auto options = engine::redis::options::from(engine::url::parse(url));
        options.backoff_seed = 1;
        options.open_stream = [this](const net::endpoint& to) {
            return std::make_unique<memory_stream>(servers.at(to.text()), ++descriptors_);
        };
        identity.client = base::client_id::make();
        identity.time = &time;
        mine = std::make_unique<engine::redis::redis_engine>(options, identity);
        mine->attach(*this);
    }

    memory_server& add_server(const std::string& address) {
        auto& out = servers[address];
        out.on_command = [this](const auto&) { return slots_reply_; };
        return out;
    }

    struct range {
        unsigned first;
        unsigned last;
        std::string address;
    };
    /// What all servers say from now on.
    void slots_are(const std::vector<range>& ranges) {
        slots_reply_ = "*" + std::to_string(ranges.size()) + "\r\n";
        for (const auto& each : ranges) {
            const auto colon = each.address.find(':');
            slots_reply_ += "*3\r\n:" + std::to_string(each.first) +
                            "\r\n:" + std::to_string(each.last) + "\r\n*3\r\n" +
                            redis_fake::bulk(each.address.substr(0, colon)) + ":" +
                            each.address.substr(colon + 1) + "\r\n" + redis_fake::bulk("id");
        }
    }

    /// A name whose native lock is in a slot from `first` on; the n-th such name.
    static std::string name_from(unsigned first, unsigned last, unsigned nth = 0) {
        for (unsigned number = 0;; ++number) {
            auto name = "n" + std::to_string(number);
            const auto slot = engine::redis::native_slot(name);
            if (slot >= first && slot <= last && nth-- == 0) { return name; }
        }
    }
    const std::string in_a = name_from(0, 5460);
    const std::string in_b = name_from(5461, 10922);
    const std::string in_c = name_from(10923, 16383);

    [[nodiscard]] engine::ticket ticket(const std::string& name) {
        return {name, {identity.client, ++numbers_}, {}};
    }
    void submit(engine::op_id id, const engine::op& op) {
        mine->submit(id, op, time.at + 2s);
        settle();
    }
    void acquire(engine::op_id id, const std::string& name) {
        engine::acquire_op op;
        op.ticket = ticket(name);
        op.lease = 10s;
        submit(id, op);
    }
    [[nodiscard]] engine::beat_op beat(const std::vector<std::string>& names) {
        engine::beat_op out;
        for (const auto& name : names) {
            auto& item = out.items.emplace_back();
            item.ticket = ticket(name);
            item.lease = 10s;
            item.order = 1;
        }
        return out;
    }
    /// Does all I/O that is possible now.
    void settle() {
        for (int round = 0; round < 30; ++round) {
            std::vector<pollfd> ready;
            mine->pollables(ready);
            for (auto& each : ready) { each.revents = POLLIN; }
            due = mine->drive(ready, time.at);
        }
    }
    void advance(base::duration by) {
        const auto end = time.at + by;
        while (due < end) {
            time.at = std::max(time.at + 1ms, due);
            settle();
        }
        time.at = end;
        settle();
    }
    [[nodiscard]] const engine::answer& answer_to(engine::op_id id) const {
        static const auto none = [] {
            engine::answer out;
            out.detail = "no answer";
            return out;
        }();
        const engine::answer* found = &none;
        for (const auto& each : answers) {
            if (each.id == id) {
                EXPECT_EQ(found, &none) << "answered twice";
                found = &each;
            }
        }
        return *found;
    }
    /// The commands that a server has received, by their first words.
    [[nodiscard]] std::vector<std::string> received(const std::string& address) const {
        std::vector<std::string> out;
        for (const auto& each : servers.at(address).commands) { out.push_back(each.front()); }
        return out;
    }

    fixed_time time;
    base::instant due{};
    std::map<std::string, memory_server> servers;
    std::vector<engine::answer> answers;
    std::vector<engine::notice> notices;
    std::unique_ptr<engine::redis::redis_engine> mine;
    engine::client_identity identity;

private:
    void answered(engine::answer&& answer) override { answers.push_back(std::move(answer)); }
    void noticed(const engine::notice& notice) override { notices.push_back(notice); }

    std::uint64_t numbers_ = 0;
    int descriptors_ = 1000;
    std::string slots_reply_;
};

} // namespace holdfast::test
