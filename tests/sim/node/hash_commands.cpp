// Commands on hashes.

#include "sim/node/commands.hpp"

#include <algorithm>
#include <array>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::sim {

namespace {

hash_value::iterator field_of(hash_value& hash, std::string_view name) {
    return std::find_if(hash.begin(), hash.end(),
                        [name](const auto& field) { return field.first == name; });
}

/// True: it is new.
bool put_field(hash_value& hash, std::string_view name, std::string_view value) {
    const auto found = field_of(hash, name);
    if (found != hash.end()) {
        found->second = value;
        return false;
    }
    hash.emplace_back(name, value);
    return true;
}

void hget(command_host& host, word_list words, reply_sink& out) {
    const auto [hash, failed] = find_value<hash_value>(host.keys(), words[1], out);
    if (failed) { return; }
    if (hash == nullptr) { return out.null(); }
    const auto found = field_of(*hash, words[2]);
    found == hash->end() ? out.null() : out.bulk(found->second);
}

void hset(command_host& host, word_list words, reply_sink& out) {
    auto* const hash = need_value<hash_value>(host.keys(), words[1], out);
    if (hash == nullptr) { return; }
    std::int64_t added = 0;
    for (std::size_t at = 2; at + 1 < words.size(); at += 2) {
        added += put_field(*hash, words[at], words[at + 1]) ? 1 : 0;
    }
    out.integer(added);
}

void hsetnx(command_host& host, word_list words, reply_sink& out) {
    auto* const hash = need_value<hash_value>(host.keys(), words[1], out);
    if (hash == nullptr) { return; }
    const bool is_new = field_of(*hash, words[2]) == hash->end();
    if (is_new) { hash->emplace_back(words[2], words[3]); }
    out.integer(is_new ? 1 : 0);
}

void hdel(command_host& host, word_list words, reply_sink& out) {
    const auto [hash, failed] = find_value<hash_value>(host.keys(), words[1], out);
    if (failed) { return; }
    std::int64_t count = 0;
    for (const auto name : words.subspan(2)) {
        if (hash == nullptr) { break; }
        const auto found = field_of(*hash, name);
        if (found == hash->end()) { continue; }
        hash->erase(found);
        ++count;
    }
    if (hash != nullptr && hash->empty()) { host.keys().erase(words[1]); }
    out.integer(count);
}

void hincrby(command_host& host, word_list words, reply_sink& out) {
    const auto by = to_integer(words[3]);
    if (!by) { return out.error(not_an_integer); }
    auto* const hash = need_value<hash_value>(host.keys(), words[1], out);
    if (hash == nullptr) { return; }
    const auto found = field_of(*hash, words[2]);
    const auto before =
        found == hash->end() ? std::optional<std::int64_t>{0} : to_integer(found->second);
    if (!before) { return out.error("ERR hash value is not an integer"); }
    put_field(*hash, words[2], std::to_string(*before + *by));
    out.integer(*before + *by);
}

void hgetall(command_host& host, word_list words, reply_sink& out) {
    const auto [hash, failed] = find_value<hash_value>(host.keys(), words[1], out);
    if (failed) { return; }
    if (hash == nullptr) { return out.array(0); }
    out.array(2 * hash->size());
    for (const auto& [name, value] : *hash) {
        out.bulk(name);
        out.bulk(value);
    }
}

void hlen(command_host& host, word_list words, reply_sink& out) {
    const auto [hash, failed] = find_value<hash_value>(host.keys(), words[1], out);
    if (failed) { return; }
    out.integer(hash == nullptr ? 0 : static_cast<std::int64_t>(hash->size()));
}

void hexists(command_host& host, word_list words, reply_sink& out) {
    const auto [hash, failed] = find_value<hash_value>(host.keys(), words[1], out);
    if (failed) { return; }
    out.integer(hash != nullptr && field_of(*hash, words[2]) != hash->end() ? 1 : 0);
}

constexpr std::array<command_entry, 8> entries{{
    {"HGET", 3, hget},
    {"HSET", 4, hset},
    {"HSETNX", 4, hsetnx},
    {"HDEL", 3, hdel},
    {"HINCRBY", 4, hincrby},
    {"HGETALL", 2, hgetall},
    {"HLEN", 2, hlen},
    {"HEXISTS", 3, hexists},
}};

} // namespace

std::span<const command_entry> hash_commands() { return entries; }

} // namespace holdfast::sim
