#include "holdfast/engine/redis/layout/polling/polling_commands.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/hash_slot.hpp"

#include <charconv>

namespace holdfast::engine::redis {

namespace {

std::vector<const script*> all_of(const polling_scripts& scripts,
                                  std::span<const script* const> more) {
    std::vector<const script*> out{scripts.acquire, scripts.release, scripts.beat,
                                   scripts.break_lock, scripts.inspect};
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

} // namespace

polling_commands::polling_commands(const polling_scripts& scripts, const options& options,
                                   const client_identity& identity,
                                   std::span<const script* const> more)
    : scripts_{scripts},
      own_prefix_{options.prefix},
      clustered_{options.cluster.has_value()},
      all_scripts_{all_of(scripts, more)},
      key_prefix_{options.key_prefix},
      client_id_{identity.client},
      client_text_{identity.client.text() + ':'} {}

capabilities polling_commands::polling_caps(primitive kind, bool fenced) {
    capabilities can;
    can.supported = kind == primitive::mutex;
    can.queue = queueing::hint;
    can.fencing = fenced;
    can.notes = can.lists = can.sees_waiters = can.recalls_release = can.shortens = false;
    can.reclaims = false;
    can.why_no_cells = why_no_cells;
    can.why_no_resize = why_no_resize;
    return can;
}

/// Braces in a name can keep `usual` from having the hash tag that it should have.
std::string polling_commands::in_slot(std::string usual, std::string_view kind,
                                      std::string_view name) const {
    if (!clustered_) { return usual; }
    const auto slot = hash_slot(key_prefix_, name);
    if (hash_slot(usual) == slot && hash_slot(usual, ":") == slot) { return usual; }
    return own_prefix_ + std::string{kind} + '{' + slot_tag(slot) + "}:" + key(name);
}

std::string_view polling_commands::owner(const base::owner_id& owner) {
    if (owner.client != client_id_) {
        owner_ = owner.text();
        return owner_;
    }
    std::array<char, 20> digits; // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), owner.number).ptr;
    owner_ = client_text_;
    owner_.append(digits.data(), end);
    return owner_;
}

void polling_commands::append_key(std::string& out, std::string_view name) {
    key_ = key_prefix_;
    key_ += name;
    append_bulk(out, key_);
}

void polling_commands::append_memory(std::string& out, release_memory memory) {
    append_bulk(out, std::to_string(memory.length.count()));
    append_bulk(out, memory.even_if_not_held ? "1" : "0");
}

void polling_commands::append_acquire(std::string& out, const script& script, const ticket& ticket,
                                      const acquire_terms& terms, std::int64_t not_after_us,
                                      std::size_t more) {
    const bool honours = honours_memory(terms.fenced);
    append_call(out, script, 1U + (honours ? 1U : 0U) + (terms.fenced ? 1U : 0U), 3 + more);
    append_key(out, ticket.name);
    if (honours) { append_bulk(out, memory_key(ticket)); }
    if (terms.fenced) { append_bulk(out, token_key(ticket.name)); }
    append_bulk(out, owner(ticket.owner));
    append_bulk(out, std::to_string(terms.lease.count()));
    append_bulk(out, std::to_string(not_after_us));
}

void polling_commands::acquire(std::string& out, const ticket& ticket, const acquire_terms& terms,
                               std::int64_t not_after_us) {
    append_acquire(out, *scripts_.acquire, ticket, terms, not_after_us, 0);
}

void polling_commands::break_lock(std::string& out, const break_op& op) {
    append_call(out, *scripts_.break_lock, 2, 4);
    append_key(out, op.name);
    append_bulk(out, token_key(op.name));
    append_bulk(out, std::to_string(op.only_token));
    append_bulk(out, name_channel(op.name, primitive::mutex));
    append_bulk(out, publish());
    append_bulk(out, own_prefix_ + "inbox:");
}

void polling_commands::beat(std::string& out, const beat_op& op) {
    const auto count = op.items.size();
    // In a cluster items of several slots: the keys are arguments.
    const bool declared = !clustered_ || count == 1;
    append_call(out, *scripts_.beat, declared ? count : 0, (declared ? 2 : 3) * count);
    const auto append_keys = [&] {
        for (const auto& item : op.items) { append_key(out, item.ticket.name); }
    };
    if (declared) { append_keys(); }
    for (const auto& item : op.items) {
        append_bulk(out, owner(item.ticket.owner));
        append_bulk(out, item.waiting ? "w" : std::to_string(item.lease.count()));
    }
    if (!declared) { append_keys(); }
}

void polling_commands::inspect(std::string& out, std::string_view name) {
    append_call(out, *scripts_.inspect, 2, 0);
    append_key(out, name);
    append_bulk(out, token_key(name));
}

} // namespace holdfast::engine::redis
