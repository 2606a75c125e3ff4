// native_layout: several names at once, downgrades and limits.

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/lock_replies.hpp"
#include "holdfast/engine/redis/layout/native/native_layout.hpp"
#include "holdfast/engine/redis/layout/native/native_replies.hpp"
#include "holdfast/engine/redis/protocol/hash_slot.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

bool native_layout::is_one_step(std::span<const std::string_view> names) const {
    return !options_.cluster || std::all_of(names.begin(), names.end(), [&](auto name) {
        return native_slot(name) == native_slot(names.front());
    });
}

/// A set is sent once: its client gives it up if the answer is lost, and withdraws each ticket.
template <>
void native_layout::send(operation& operation, const acquire_set_op& op, command_channel& channel,
                         instant now) {
    channel.scripts().ensure(commands_.set_scripts(), now);
    channel.clock().refresh(channel.requests(), now);
    operation.not_after = op.items.front().not_after;
    operation.items.clear();
    operation.items.reserve(op.items.size());
    for (const auto& item : op.items) {
        operation.items.push_back(item.ticket);
        if (has_grace()) { held_.put(item, now); }
    }
    channel.send(*this, request_kind::acquire_set, operation, now, [&](std::string& out) {
        operation.not_after_us = channel.clock().translate(counts_until(operation));
        commands_.acquire_set(out, op, operation.not_after_us);
    });
}

template <>
void native_layout::send(operation& operation, const release_set_op& op, command_channel& channel,
                         instant now) {
    channel.scripts().ensure(commands_.set_scripts(), now);
    operation.items.clear();
    operation.items.reserve(op.items.size());
    bool awaited = false;
    bool can_wait = true;
    for (const auto& item : op.items) {
        operation.items.push_back(item.ticket);
        awaited = awaited || item.awaited;
        can_wait = can_wait && item.can_wait;
        if (has_grace()) { held_.remove(item.ticket.owner); }
    }
    if (can_wait) { channel.defer_write(now); }
    auto& sent =
        channel.send(*this, request_kind::release_set, operation, now,
                     [&](std::string& out) { commands_.release_set(out, op.items, has_grace()); });
    if (!awaited) { channel.mark_suppressible(sent); }
}

template <>
void native_layout::send(operation& operation, const downgrade_op& op, command_channel& channel,
                         instant now) {
    channel.scripts().ensure(commands_.rare_scripts(), now);
    operation.ticket = op.ticket;
    channel.send(*this, request_kind::downgrade, operation, now,
                 [&](std::string& out) { commands_.downgrade(out, op.ticket); });
}

bool native_layout::on_downgrade_reply(operation& operation, const reply& reply, instant now) {
    if (!reply.is_integer()) {
        if (!reply.is_array() || reply.size() < 2) { return false; }
        if (reply.number(0) == fields::answer_stale) {
            operation.channel->incarnation().on_stale(now);
        }
        operation.complete(read_acquire(reply, operation.channel->server()));
        return true;
    }
    const bool done = reply.integer() == fields::release_done;
    if (done && has_grace()) { held_.downgrade(operation.ticket.owner); }
    operation.complete(done ? op_status::renewed : op_status::lost);
    return true;
}

template <>
void native_layout::send(operation& operation, const resize_op& op, command_channel& channel,
                         instant now) {
    channel.scripts().ensure(commands_.rare_scripts(), now);
    channel.clock().refresh(channel.requests(), now);
    operation.ticket = op.ticket;
    operation.not_after = op.not_after;
    channel.send(*this, request_kind::resize, operation, now, [&](std::string& out) {
        commands_.resize(out, op, channel.clock().translate(counts_until(operation)));
    });
}

bool native_layout::on_resize_reply(operation& operation, const reply& reply, instant now) {
    if (!reply.is_array() || reply.size() < 2) { return false; }
    if (reply.number(0) != fields::answer_limit) {
        if (reply.number(0) == fields::answer_stale) {
            operation.channel->incarnation().on_stale(now);
        }
        if (!fail_if_not_late(operation, reply, now)) {
            operation.complete(read_acquire(reply, operation.channel->server()));
        }
        return true;
    }
    if (reply.size() != 4) { return false; }
    report found;
    found.limit = static_cast<unsigned>(reply.number(1));
    found.generation = static_cast<std::uint64_t>(reply.number(2));
    found.applied = reply.number(3) == 1;
    answer out;
    out.status = op_status::reported;
    out.report = std::make_shared<const report>(std::move(found));
    operation.complete(std::move(out));
    return true;
}

bool native_layout::on_set_reply(operation& set, const reply& reply, instant now) {
    const bool one_token = reply.is_integer(); // all have the same
    if (!one_token && (!reply.is_array() || reply.size() < 2)) { return false; }
    if (!one_token && reply.number(0) != fields::answer_all) {
        if (reply.number(0) == fields::answer_stale) { set.channel->incarnation().on_stale(now); }
        forget_set(set);
        if (!fail_if_not_late(set, reply, now)) {
            set.complete(read_acquire(reply, set.channel->server()));
        }
        return true;
    }
    if (!one_token && reply.size() != set.items.size() + 1) { return false; }
    if (set.is_cancelled()) {
        send_undo_set(set, *set.channel, now);
        return true;
    }
    answer out;
    out.status = op_status::granted;
    out.parts.reserve(set.items.size());
    for (std::size_t at = 1; at <= set.items.size(); ++at) {
        const auto token = one_token ? reply.integer() : reply.number(at);
        out.parts.push_back({op_status::granted, static_cast<std::uint64_t>(token)});
    }
    set.complete(std::move(out));
    return true;
}

/// An error of one hold is only its own: its client sends that release again.
bool native_layout::on_set_release_reply(operation& set, const reply& reply) {
    answer out;
    out.status = op_status::released;
    if (reply.is_integer() && reply.integer() == fields::release_done) {
        out.parts.assign(set.items.size(), {op_status::released});
        set.complete(std::move(out));
        return true;
    }
    if (!reply.is_array() || reply.size() != set.items.size()) { return false; }
    out.parts.reserve(set.items.size());
    for (std::size_t at = 0; at < reply.size(); ++at) {
        const auto part = reply[at];
        out.parts.push_back({part.is_integer() ? read_release(part).status : op_status::unknown});
    }
    set.complete(std::move(out));
    return true;
}

/// Nobody waits for the set any more.
void native_layout::send_undo_set(operation& set, command_channel& channel, instant now) {
    std::vector<release_op> holds;
    holds.reserve(set.items.size());
    for (const auto& each : set.items) { holds.push_back({.ticket = each}); }
    channel.scripts().ensure(commands_.set_scripts(), now);
    channel.send(*this, request_kind::undo_set, set, now,
                 [&](std::string& out) { commands_.release_set(out, holds, false); });
    forget_set(set);
}

void native_layout::forget_set(const operation& set) noexcept {
    for (const auto& each : set.items) {
        if (has_grace()) { held_.remove(each.owner); }
    }
}

} // namespace holdfast::engine::redis
