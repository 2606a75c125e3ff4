// redisson_commands: the count-down latch.

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/redisson/redisson_commands.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/hash_slot.hpp"

namespace holdfast::engine::redis {

namespace {

/// A latch without an expiry has one as well: 100 years.
constexpr std::int64_t longest_latch_ms = 100LL * 365 * 24 * 3600 * 1000;

char latch_action(cell_op::action_kind action) noexcept {
    if (action == cell_op::action_kind::arrive) { return fields::cell_arrive; }
    return action == cell_op::action_kind::erase ? fields::cell_erase : fields::cell_read;
}

} // namespace

/// Redisson always puts braces around the name here, whatever the name has.
std::string redisson_commands::latch_channel(std::string_view name) const {
    return "redisson_countdownlatch__channel__{" + key(name) + '}';
}

const char* redisson_commands::reject_latch(std::string_view name) const {
    const auto slot = hash_slot(key(name));
    if (!clustered_ ||
        (hash_slot(latch_channel(name)) == slot && hash_slot(arrivals_key(name)) == slot)) {
        return nullptr;
    }
    return "in a cluster the braces in this name put its key and its channel into different slots; "
           "choose another name";
}

std::string redisson_commands::arrivals_key(std::string_view name) const {
    return "redisson_countdownlatch_arrivals:{" + key(name) + '}';
}

void redisson_commands::latch(std::string& out, const cell_op& op, std::int64_t not_after_us) {
    const bool arrives = op.action == cell_op::action_kind::arrive;
    const bool erases = op.action == cell_op::action_kind::erase;
    append_call(out, scripts::redisson_latch, 2, arrives ? 8 : erases ? 7 : 6);
    append_bulk(out, key(op.ticket.name));
    append_bulk(out, arrivals_key(op.ticket.name));
    append_bulk(out, std::string(1, latch_action(op.action)));
    append_bulk(out, std::to_string(op.expected));
    append_bulk(out, std::to_string(op.keep.count() > 0 ? op.keep.count() : longest_latch_ms));
    append_bulk(out, std::to_string(not_after_us));
    append_bulk(out, latch_channel(op.ticket.name));
    append_bulk(out, publish());
    if (erases) { append_bulk(out, std::to_string(op.birth)); }
    if (!arrives) { return; }
    append_bulk(out, op.member);
    append_bulk(out, std::to_string(op.weight));
}

} // namespace holdfast::engine::redis
