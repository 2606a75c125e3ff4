#include "holdfast/engine/redis/checkup/probe.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <string_view>

namespace holdfast::engine::redis {

using base::boot_clock;

probe::probe(const net::endpoint& server, base::milliseconds timeout)
    : stream_{net::stream::start(server)}, timeout_{timeout} {
    const auto end = boot_clock::now() + timeout_;
    while (stream_->state() == net::stream_state::opening) {
        if (!wait(end)) { break; }
        stream_->progress();
    }
    if (stream_->state() == net::stream_state::failed) {
        failure_ = stream_->failure();
    } else if (stream_->state() == net::stream_state::opening) {
        failure_ = "no connection within " + std::to_string(timeout_.count()) +
                   " ms (it was at: " + std::string{stream_->step()} + ")";
    }
}

bool probe::wait(base::instant end) {
    const auto left = std::chrono::ceil<base::milliseconds>(end - boot_clock::now()).count();
    if (left <= 0) { return false; }
    pollfd ready = stream_->pollable();
    if (ready.fd < 0) { return false; }
    const int count = ::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    return count > 0 || (count < 0 && errno == EINTR) || boot_clock::now() < end;
}

void probe::send(std::string_view bytes, base::instant end) {
    while (!bytes.empty() && stream_->state() == net::stream_state::open) {
        bytes.remove_prefix(stream_->write(bytes));
        if (bytes.empty()) { return; }
        if (!wait(end)) { break; }
        stream_->progress();
    }
}

void probe::receive(std::vector<kept_reply>& replies) {
    std::array<char, 16'384> buffer{};
    std::size_t count = buffer.size();
    while (count == buffer.size() && stream_->state() == net::stream_state::open) {
        count = stream_->read(buffer);
        const bool is_resp = reader_.read({buffer.data(), count}, [&](const reply& reply) {
            if (!reply.is_push()) { replies.emplace_back(reply); }
        });
        if (!is_resp) {
            failure_ = "it sent bytes that are not the Redis protocol";
            return;
        }
    }
}

std::vector<kept_reply> probe::ask(const std::vector<command_words>& commands) {
    std::vector<kept_reply> replies;
    if (!failure_.empty()) { return replies; }
    std::string bytes;
    for (const auto& words : commands) {
        append_count(bytes, words.size());
        for (const auto& word : words) { append_bulk(bytes, word); }
    }
    const auto end = boot_clock::now() + timeout_;
    send(bytes, end);
    while (replies.size() < commands.size() && failure_.empty()) {
        receive(replies);
        if (replies.size() >= commands.size() || !failure_.empty()) { break; }
        if (stream_->state() == net::stream_state::failed) {
            failure_ = stream_->failure();
        } else if (!wait(end)) {
            failure_ = "no answer within " + std::to_string(timeout_.count()) + " ms";
        } else {
            stream_->progress();
        }
    }
    return replies;
}

} // namespace holdfast::engine::redis
