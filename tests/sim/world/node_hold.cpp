#include "sim/world/node_hold.hpp"

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"
#include "sim/node/commands.hpp"

#include <string>
#include <string_view>

namespace holdfast::sim {

namespace fields = engine::redis::fields;

namespace {

/// See sim_client::id_of.
ticket_id ticket_of(std::string_view owner) {
    const auto read = engine::redis::read_owner(owner).value_or(base::owner_id{});
    const auto& bytes = read.client.bytes;
    return {bytes[0], static_cast<unsigned>(bytes[1]) << 8U | bytes[2], read.number};
}

} // namespace

std::optional<node_hold> read_hold(const key_space& keys, std::int64_t now_us) {
    static const std::string key = std::string{"hf:{"} + lock_name + "}";
    const auto found = keys.all().find(key);
    if (found == keys.all().end()) { return std::nullopt; }
    const auto* const record = std::get_if<std::string>(&found->second.value);
    if (record == nullptr || record->size() < fields::rec_owner.end()) { return std::nullopt; }
    const auto tag = fields::rec_tag.of(*record).front();
    if (tag != 'x' && tag != 'q' && tag != 'X' && tag != 'Q') { return std::nullopt; }
    const auto deadline = to_integer(fields::rec_deadline.of(*record)).value_or(0);
    if (deadline <= now_us) { return std::nullopt; }
    return node_hold{
        ticket_of(fields::rec_owner.of(*record)), deadline,
        static_cast<std::uint64_t>(to_integer(fields::rec_token.of(*record)).value_or(0))};
}

} // namespace holdfast::sim
