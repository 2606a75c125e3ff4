#pragma once
// A Redis engine over servers in memory that greet it as they should, and then answer with the
// bytes of a fuzz input.

#include "fuzz/check.hpp"
#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/redis_engine.hpp"
#include "holdfast/engine/redis/scripts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::fuzz {

using namespace engine::redis;

/// The replies that are left, separated by 0xff in the input.
class reply_script {
public:
    explicit reply_script(std::string_view input) : rest_{input} {}

    /// A reply that ends the connection is empty.
    [[nodiscard]] std::string_view next() {
        const auto end = std::min(rest_.find('\xff'), rest_.size());
        const auto out = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        return out;
    }

private:
    std::string_view rest_;
};

/// A connection to a server that replies at once.
class scripted_stream final : public net::stream {
public:
    scripted_stream(reply_script& script, std::string_view mode, int descriptor)
        : script_{script}, mode_{mode}, descriptor_{descriptor} {}

    [[nodiscard]] net::stream_state state() const noexcept override {
        return closed_ && replies_.empty() ? net::stream_state::failed : net::stream_state::open;
    }
    [[nodiscard]] const std::string& failure() const noexcept override { return failure_; }
    [[nodiscard]] bool failure_is_permanent() const noexcept override { return false; }
    [[nodiscard]] std::string_view step() const noexcept override { return {}; }
    [[nodiscard]] pollfd pollable() const noexcept override { return {descriptor_, POLLIN, 0}; }
    void progress() override {}
    [[nodiscard]] std::size_t read(std::span<char> into) override {
        const auto count = std::min(into.size(), replies_.size());
        std::copy_n(replies_.begin(), count, into.begin());
        replies_.erase(0, count);
        return count;
    }
    [[nodiscard]] std::size_t write(std::span<const char> from) override {
        const bool good = commands_.read(from, [&](const reply& command) { answer(command); });
        check(good, "the engine sends commands in RESP");
        return from.size();
    }
    [[nodiscard]] int plain_descriptor() const noexcept override { return -1; }

private:
    static void append_text(std::string& out, std::string_view word) { append_bulk(out, word); }

    void answer(const reply& command) {
        const auto name = command.word(0);
        if (name == "HELLO" && command.word(1) == "2") {
            replies_ += "*14\r\n";
            for (const std::string_view word :
                 {std::string_view{"server"}, std::string_view{"redis"},
                  std::string_view{"version"}, std::string_view{"7.0.15"},
                  std::string_view{"proto"}, std::string_view{"2"}, std::string_view{"id"},
                  std::string_view{"1"}, std::string_view{"mode"}, mode_, std::string_view{"role"},
                  std::string_view{"master"}, std::string_view{"modules"}, std::string_view{""}}) {
                append_text(replies_, word);
            }
        } else if (name == "CLIENT" || name == "HELLO") {
            return;
        } else if (name == "SUBSCRIBE") {
            for (std::size_t at = 1; at < command.size(); ++at) {
                replies_ += ">3\r\n";
                append_text(replies_, "subscribe");
                append_text(replies_, command.word(at));
                replies_ += ":1\r\n";
            }
        } else if (name == "SCRIPT" && command.word(1) == "LOAD") {
            append_text(replies_, sha_of(command.word(2)));
        } else if (name == "TIME") {
            replies_ += "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n";
        } else {
            const auto reply = script_.next();
            closed_ = closed_ || reply.empty();
            replies_ += reply;
        }
    }

    static std::string_view sha_of(std::string_view text) {
        for (const auto* const each :
             {&scripts::acquire, &scripts::release, &scripts::beat, &scripts::withdraw,
              &scripts::break_lock, &scripts::inspect, &scripts::cluster_acquire,
              &scripts::cluster_release, &scripts::cluster_beat, &scripts::cluster_withdraw,
              &scripts::cluster_break_lock, &scripts::cluster_inspect, &scripts::plain_acquire,
              &scripts::plain_release, &scripts::plain_beat, &scripts::plain_break,
              &scripts::plain_inspect, &scripts::join, &scripts::node_marker}) {
            if (each->text == text) { return each->sha; }
        }
        return "unknown";
    }

    reply_script& script_;
    const std::string_view mode_;
    const int descriptor_;
    bool closed_ = false;
    std::string replies_;
    reply_reader commands_;
    const std::string failure_ = "the server closed the connection";
};

class virtual_time final : public base::time_source {
public:
    [[nodiscard]] base::instant now() const noexcept override { return at; }
    [[nodiscard]] std::int64_t wall_us() const noexcept override { return 1'700'000'000'000'000; }
    base::instant at{std::chrono::hours{1}};
};

/// An engine that gets such replies. Checks that it answers every operation once, by its give_up.
class redis_conversation final : private engine::sink {
public:
    /// `first_mode` is of the servers in the URL: standalone, sentinel or cluster.
    redis_conversation(const std::string& url, std::string_view first_mode, std::string_view input)
        : script_{input} {
        auto options = engine::redis::options::from(engine::url::parse(url));
        options.backoff_seed = 1;
        options.open_stream = [this, first_mode](const net::endpoint& to) {
            const bool is_first = to.host == "first";
            const std::string_view mode =
                is_first || first_mode != "sentinel" ? first_mode : "standalone";
            return std::make_unique<scripted_stream>(script_, mode, ++descriptors_);
        };
        identity_.time = &time_;
        engine_ = std::make_unique<redis_engine>(options, identity_);
        engine_->attach(*this);
    }

    [[nodiscard]] engine::ticket ticket(std::uint64_t number) const {
        return {"stock", {identity_.client, number}, {}};
    }

    void submit(const engine::op& op) {
        answers_[++last_] = 0;
        engine_->submit(last_, op, time_.at + std::chrono::seconds{2});
        drive();
    }

    /// Lets time pass until everything must be answered.
    void finish() {
        for (int step = 0; step < 30; ++step) {
            time_.at += std::chrono::milliseconds{100};
            drive();
        }
        for (const auto& [id, count] : answers_) {
            check(count == 1, "every operation is answered exactly once, in time");
        }
    }

private:
    void drive() {
        for (int turn = 0; turn < 4; ++turn) {
            std::vector<pollfd> ready;
            engine_->pollables(ready);
            for (auto& each : ready) { each.revents = each.events; }
            (void)engine_->drive(ready, time_.at);
        }
    }
    void answered(engine::answer&& answer) override { ++answers_[answer.id]; }
    void noticed(const engine::notice& /*notice*/) override {}

    reply_script script_;
    virtual_time time_;
    engine::client_identity identity_;
    int descriptors_ = 1000;
    engine::op_id last_ = 0;
    std::map<engine::op_id, unsigned> answers_;
    std::unique_ptr<redis_engine> engine_;
};

/// One operation of each kind.
inline void converse(redis_conversation& with) {
    using std::chrono::seconds;
    engine::acquire_op acquire;
    acquire.ticket = with.ticket(1);
    acquire.lease = seconds{10};
    acquire.queue = engine::queueing::grant;
    with.submit(acquire);
    engine::beat_op beat;
    beat.items.push_back({.ticket = with.ticket(1), .lease = seconds{10}, .order = 1});
    beat.items.push_back({.ticket = with.ticket(2), .waiting = true});
    with.submit(beat);
    with.submit(engine::inspect_op{"stock", {}});
    with.submit(engine::list_op{"", "", 10, {}});
    with.submit(engine::release_op{with.ticket(1)});
    with.submit(engine::diagnose_op{});
    with.finish();
}

} // namespace holdfast::fuzz
