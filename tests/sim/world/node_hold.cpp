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

/// Null: there is none.
const std::string* find_record(const key_space& keys) {
    static const std::string key = std::string{"hf:{"} + lock_name + "}";
    const auto found = keys.all().find(key);
    return found == keys.all().end() ? nullptr : std::get_if<std::string>(&found->second.value);
}

std::uint64_t token_of(const std::string& record) {
    return static_cast<std::uint64_t>(to_integer(fields::rec_token.of(record)).value_or(0));
}

} // namespace

std::uint64_t read_highest_token(const key_space& keys) {
    const auto* const record = find_record(keys);
    return record == nullptr || record->size() < fields::rec_token.end() ? 0 : token_of(*record);
}

std::optional<node_hold> read_hold(const key_space& keys, std::int64_t now_us) {
    const auto* const record = find_record(keys);
    if (record == nullptr || record->size() < fields::rec_owner.end()) { return std::nullopt; }
    const auto tag = fields::rec_tag.of(*record).front();
    if (tag != 'x' && tag != 'q' && tag != 'X' && tag != 'Q') { return std::nullopt; }
    const auto deadline = to_integer(fields::rec_deadline.of(*record)).value_or(0);
    if (deadline <= now_us) { return std::nullopt; }
    return node_hold{ticket_of(fields::rec_owner.of(*record)), deadline, token_of(*record)};
}

} // namespace holdfast::sim
