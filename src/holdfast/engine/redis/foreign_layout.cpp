#include "holdfast/engine/redis/foreign_layout.hpp"

#include "holdfast/engine/admission/request.hpp"
#include "holdfast/engine/redis/command.hpp"

#include <holdfast/error.hpp>

#include <charconv>
#include <utility>

namespace holdfast::engine::redis {

foreign_layout::foreign_layout(const foreign_scripts& with, const place& where,
                               const client_identity& identity)
    : with_{with},
      own_prefix_{where.prefix},
      key_prefix_{where.key_prefix},
      own_{identity.client},
      own_text_{identity.client.text() + ':'} {}

std::string_view foreign_layout::owner(const base::owner_id& owner) {
    if (owner.client != own_) {
        owner_ = owner.text();
        return owner_;
    }
    std::array<char, 20> digits; // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), owner.number).ptr;
    owner_ = own_text_;
    owner_.append(digits.data(), end);
    return owner_;
}

void foreign_layout::append_key(std::string& out, std::string_view name) {
    key_ = key_prefix_;
    key_ += name;
    append_bulk(out, key_);
}

void foreign_layout::acquire(std::string& out, const ticket& ticket, base::milliseconds lease,
                             bool fenced, std::int64_t not_after_us) {
    const bool minds = minds_releases(fenced);
    append_call(out, *with_.acquire, 1U + (minds ? 1U : 0U) + (fenced ? 1U : 0U), 3);
    append_key(out, ticket.name);
    if (minds) { append_bulk(out, memory_key(ticket)); }
    if (fenced) { append_bulk(out, token_key(ticket.name)); }
    append_bulk(out, owner(ticket.owner));
    append_bulk(out, std::to_string(lease.count()));
    append_bulk(out, std::to_string(not_after_us));
}

void foreign_layout::break_lock(std::string& out, const break_op& operation) {
    append_call(out, *with_.break_lock, 2, 4);
    append_key(out, operation.name);
    append_bulk(out, token_key(operation.name));
    append_bulk(out, std::to_string(operation.only_token));
    append_bulk(out, channel(operation.name));
    append_bulk(out, publish());
    append_bulk(out, own_prefix_ + "inbox:");
}

void foreign_layout::beat(std::string& out, const beat_op& operation) {
    append_call(out, *with_.beat, operation.items.size(), 2 * operation.items.size());
    for (const auto& item : operation.items) { append_key(out, item.ticket.name); }
    for (const auto& item : operation.items) {
        append_bulk(out, owner(item.ticket.owner));
        append_bulk(out, item.waiting ? "w" : std::to_string(item.lease.count()));
    }
}

void foreign_layout::inspect(std::string& out, std::string_view name) {
    append_call(out, *with_.inspect, 2, 0);
    append_key(out, name);
    append_bulk(out, token_key(name));
}

answer read_foreign_acquire(const reply& reply, std::int64_t& pttl) {
    constexpr std::int64_t no_tokens = 7; // see scripts/plain_acquire.lua
    answer out;
    if (reply.is_integer()) {
        out.status = op_status::granted;
        out.token = static_cast<std::uint64_t>(reply.integer());
        return out;
    }
    if (reply.number(0) == no_tokens) {
        return admission::refuse(
            errc::internal, "the next token would not be below 2^53: is the server's clock right?");
    }
    out.status = op_status::busy;
    pttl = reply.number(0) == 1 ? reply.number(1) : -1;
    return out;
}

/// Of what has no end: a time that can still be added to the clock's.
constexpr std::chrono::hours a_century{24 * 36'525};

lock_info read_foreign_inspect(const reply& reply, std::string name) {
    lock_info out;
    out.name = std::move(name);
    out.last_token = static_cast<std::uint64_t>(reply.number(1));
    if (reply.size() < 5) { return out; }
    const auto holders = reply[4];
    for (std::size_t at = 0; at < holders.size(); ++at) {
        const auto entry = holders[at];
        party& holder = out.holders.emplace_back();
        holder.owner = entry.word(0);
        holder.token = static_cast<std::uint64_t>(entry.number(3));
        holder.permits = static_cast<unsigned>(entry.number(2));
        if (entry.number(1) >= 0) {
            holder.remaining = base::milliseconds{entry.number(1)};
        } else {
            holder.remaining = a_century;
            holder.note = "it has no expiry: it does not end by itself";
        }
    }
    return out;
}

} // namespace holdfast::engine::redis
