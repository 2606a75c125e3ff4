#include "holdfast/engine/redis/node_joiner.hpp"

#include "holdfast/base/random.hpp"
#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/info.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <holdfast/error.hpp>
#include <holdfast/options.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::engine::redis {

namespace {

constexpr std::array<const script*, 1> join_script{&scripts::join};

std::uint64_t read_hex(std::string_view digits) noexcept {
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return value;
}

std::string duration_text(base::milliseconds span) {
    const auto count = span.count();
    return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
}

std::int64_t in_us(base::milliseconds span) noexcept {
    return std::chrono::microseconds{span}.count();
}

} // namespace

void node_joiner::begin(operation& operation, const join_op& op, node& node, base::instant now) {
    if (op.max_lease < base::milliseconds{0} || op.max_lease > limits::longest_lease) {
        return operation.fail(errc::invalid_option, "max_lease: must be from 0 to 24 h");
    }
    operation.join = std::make_unique<join_progress>();
    operation.join->max_lease = op.max_lease;
    operation.join->mode = op.mode;
    operation.join->not_after = op.not_after;
    node.channel().send(*this, request_kind::info, operation, now, [](std::string& out) {
        append_command(out, {"INFO", "server"});
    });
    if (only_identifies(*operation.join)) { return; }
    node.channel().send(*this, request_kind::marker, operation, now, [](std::string& out) {
        append_command(out, {"SCRIPT", "EXISTS", scripts::node_marker.sha});
    });
}

bool node_joiner::on_reply(request& request, const reply& reply, base::instant now) {
    operation& operation = *request.op;
    switch (static_cast<request_kind>(request.kind)) {
    case request_kind::info:
        if (!reply.is_text()) { return false; }
        on_info(operation, reply.text());
        return true;
    case request_kind::marker:
        if (reply.size() != 1) { return false; }
        operation.join->used_before = reply.number(0) != 0;
        if (operation.is_open()) { send_join(operation, now); }
        return true;
    case request_kind::load: return reply.is_text();
    case request_kind::join: return on_join_reply(operation, reply);
    }
    return false;
}

/// In layouts that others share, and where the delay after lost data is not wanted.
bool node_joiner::only_identifies(const join_progress& progress) const noexcept {
    return options_.layout != holdfast::layout::native || progress.max_lease.count() == 0;
}

void node_joiner::on_info(operation& operation, std::string_view info) {
    const auto uptime = info_line(info, "uptime_in_seconds");
    std::int64_t seconds = 0;
    std::from_chars(uptime.data(), uptime.data() + uptime.size(), seconds);
    operation.join->uptime = std::chrono::seconds{seconds};
    operation.join->run_id = read_hex(info_line(info, "run_id").substr(0, 16)); // it is random
    if (!only_identifies(*operation.join)) { return; }
    report found;
    found.node_id = std::max<std::uint64_t>(operation.join->run_id, 1);
    joined_ = true;
    operation.complete(std::move(found));
}

namespace {

char letter_of(join_mode mode) noexcept {
    switch (mode) {
    case join_mode::look: return 'l';
    case join_mode::vote_now: return 'n';
    case join_mode::vote_later: return 'w';
    }
    return 'l';
}

} // namespace

void node_joiner::send_join(operation& operation, base::instant now) {
    command_channel& channel = *operation.channel;
    const join_progress& progress = *operation.join;
    const char mode = letter_of(progress.mode);
    channel.send(*this, request_kind::load, operation, now, [](std::string& out) {
        append_command(out, {"SCRIPT", "LOAD", scripts::node_marker.text});
    });
    channel.scripts().ensure(join_script, now);
    channel.send(*this, request_kind::join, operation, now, [&](std::string& out) {
        std::string id;
        append_hex(id, base::random_id());
        std::string run_id;
        append_hex(run_id, progress.run_id);
        std::string max_lease;
        append_padded(max_lease, static_cast<std::uint64_t>(progress.max_lease.count()),
                      fields::node_max_lease.length);
        const auto not_after = std::clamp<std::int64_t>(
            channel.clock().translate(progress.not_after), 0, fields::token_end - 1);
        append_call(out, scripts::join, 1, 6);
        append_bulk(out, options_.prefix + "node");
        append_bulk(out, id);
        append_bulk(out, max_lease);
        append_bulk(out, std::to_string(in_us(rejoin_delay(progress.max_lease))));
        append_bulk(out, {&mode, 1});
        append_bulk(out, run_id);
        append_bulk(out, std::to_string(not_after));
    });
}

bool node_joiner::on_join_reply(operation& operation, const reply& reply) {
    if (reply.size() != 4) { return false; }
    const std::string server = "Redis at " + operation.channel->server();
    const join_progress& progress = *operation.join;
    const auto id = reply.word(0);
    report found;
    if (id.empty()) {
        const bool had_key = reply.number(3) != 0;
        found.looks_new =
            !had_key && !progress.used_before && progress.uptime > rejoin_delay(progress.max_lease);
        operation.complete(std::move(found));
        return true;
    }
    const base::milliseconds max_lease{reply.number(1)};
    if (max_lease != progress.max_lease) {
        operation.fail(errc::invalid_option, "max_lease is " + duration_text(max_lease) + " on " +
                                                 server + ", and " +
                                                 duration_text(progress.max_lease) +
                                                 " here: all clients of a quorum need the same");
        return true;
    }
    found.node_id = read_hex(id);
    found.votes_in = std::chrono::microseconds{reply.number(2)};
    joined_ = true;
    operation.complete(std::move(found));
    return true;
}

void node_joiner::on_error(request& request, const server_error& error, base::instant now) {
    const bool forbidden = error.code == errc::store_forbidden;
    const char* rule = nullptr;
    if (forbidden && request.is(request_kind::info)) { rule = "+info"; }
    if (forbidden && request.is(request_kind::marker)) { rule = "+script|exists"; }
    if (rule == nullptr) { return request_handler::on_error(request, error, now); }
    request.op->fail(error.code,
                     "Redis at " + request.op->channel->server() +
                         ": its ACL does not permit this user what a quorum needs; add " + rule +
                         " to the user's rule");
}

} // namespace holdfast::engine::redis
