#pragma once
// A command channel without a socket: the test reads the commands and feeds replies as bytes.

#include "holdfast/engine/redis/backlog.hpp"
#include "holdfast/engine/redis/node/command_channel.hpp"
#include "holdfast/engine/redis/operations.hpp"
#include "support/redis_reply.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

using namespace std::chrono_literals;

class redis_channel : public testing::Test, protected engine::sink {
protected:
    using words = std::vector<std::string>;

    redis_channel() {
        operations.attach(*this);
        open();
    }
    ~redis_channel() override { close({}); }

    /// A new connection, on which the greeting has loaded nothing.
    void open() {
        output = {};
        channel.start_session(output, {}, "server:6379", now);
    }
    /// The connection ends: what is in flight is failed.
    void close(const engine::redis::connection_loss& loss) {
        channel.end_session();
        channel.requests().fail_lost(loss, now);
    }

    /// The commands that were enqueued since the last call; they count as sent.
    std::vector<words> take_commands() {
        std::vector<words> out;
        std::string_view rest{output.unsent};
        while (const auto command = redis_reply::take(rest)) {
            auto& each = out.emplace_back();
            for (const auto& word : command->items()) { each.push_back(word.string()); }
        }
        output.sent += output.unsent.size();
        output.offered = output.sent;
        output.unsent.clear();
        channel.requests().note_sent();
        return out;
    }
    /// The first words of them.
    std::vector<std::string> take_command_names() {
        std::vector<std::string> out;
        for (const auto& command : take_commands()) { out.push_back(command.front()); }
        return out;
    }
    /// The server says this; what is wrong with it, or nothing.
    std::string say(std::string_view bytes) {
        std::string fault;
        const bool read = reader_.read(bytes, [&](const engine::redis::reply& reply) {
            if (reply.is_push()) {
                channel.subscriptions().on_push(reply, now);
            } else if (const char* const wrong = channel.on_reply(reply, now)) {
                fault = wrong;
            }
        });
        return read ? fault : "no replies";
    }

    [[nodiscard]] engine::redis::operation_ref start(engine::op_id id) {
        return operations.start(id, now + 10s);
    }
    /// With which an operation was answered, in their order.
    [[nodiscard]] std::vector<engine::op_status> statuses(engine::op_id id) const {
        std::vector<engine::op_status> out;
        for (const auto& each : answers) {
            if (each.id == id) { out.push_back(each.status); }
        }
        return out;
    }
    /// Of owner numbers.
    [[nodiscard]] std::vector<std::uint64_t> notified() const {
        std::vector<std::uint64_t> out;
        for (const auto& each : notices) { out.push_back(each.number); }
        return out;
    }

    base::instant now{1h};
    std::vector<engine::answer> answers;
    std::vector<engine::notice> notices;
    engine::redis::operations operations;
    engine::redis::output_buffer output;
    engine::redis::command_channel channel{{.command_timeout = 2s}};

private:
    void answered(engine::answer&& answer) override { answers.push_back(std::move(answer)); }
    void noticed(const engine::notice& notice) override { notices.push_back(notice); }

    engine::redis::reply_reader reader_;
};

} // namespace holdfast::test
