#include "holdfast/engine/redis/checkup/server_facts.hpp"

#include "holdfast/engine/redis/protocol/info.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::engine::redis {

namespace {

/// Settings that INFO shows too, by other names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> in_info{
    {{"maxmemory", "maxmemory"},
     {"maxmemory-policy", "maxmemory_policy"},
     {"appendonly", "aof_enabled"}}};

constexpr std::array<std::string_view, 6> lock_key_endings{"q", "w", "h", "d", "t", "l"};
/// Keys of a server; in a cluster `:{digits}` follows.
constexpr std::array<std::string_view, 4> server_keys{"mark", "run", "ack", "node"};

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

std::string_view server_facts::info_value(std::string_view key) const {
    return info_line(info, key);
}

std::string_view server_facts::setting(std::string_view key) const {
    if (const auto found = config.find(key); found != config.end()) { return found->second; }
    for (const auto& [name, line] : in_info) {
        if (name != key) { continue; }
        const auto value = info_value(line);
        if (key != "appendonly" || value.empty()) { return value; }
        return value == "1" ? "yes" : "no";
    }
    return {};
}

std::uint64_t server_facts::number(std::string_view key) const {
    const auto text = info_value(key);
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

void read_hello(const reply& reply, server_facts& out) {
    if (reply.is_error()) {
        out.refusal = reply.text();
        return;
    }
    for (auto& [key, value] : read_pairs(reply)) {
        if (key == "server") { out.product = value; }
        if (key == "version") { out.version = value; }
        if (key == "mode") { out.mode = value; }
        if (key == "role") { out.role = value; }
    }
    if (out.version.empty()) { out.refusal = "its answer to HELLO is not that of Redis"; }
}

std::optional<clock_reading> read_time(const reply& reply, const std::string& server,
                                       std::int64_t sent, std::int64_t received) {
    constexpr std::int64_t latest_s = 1'000'000'000'000; // keeps the sums below from overflowing
    const auto seconds = reply.number(0);
    const auto fraction = reply.number(1);
    if (reply.size() != 2 || seconds <= 0 || seconds > latest_s || fraction < 0 ||
        fraction >= 1'000'000 || received < sent) {
        return std::nullopt;
    }
    const auto half = (received - sent) / 2;
    return clock_reading{server,
                         std::chrono::microseconds{seconds * 1'000'000 + fraction - sent - half},
                         std::chrono::microseconds{half + 1}};
}

std::string read_text(const reply& reply) {
    if (!reply.is_text()) { return {}; }
    auto text = reply.text();
    if (text.starts_with("txt:")) { text.remove_prefix(4); }
    return '\n' + std::string{text}; // so that its first line is found as well
}

std::map<std::string, std::string, std::less<>> read_pairs(const reply& reply) {
    std::map<std::string, std::string, std::less<>> out;
    for (std::size_t at = 0; at + 1 < reply.size(); at += 2) {
        out.insert_or_assign(std::string{reply.word(at)}, std::string{reply.word(at + 1)});
    }
    return out;
}

/// An entry: id, when, microseconds, the words of the command, client, name.
std::vector<slow_script> read_slow_scripts(const reply& reply) {
    constexpr std::array<std::string_view, 6> script_commands{"EVALSHA", "EVAL",  "EVALSHA_RO",
                                                              "EVAL_RO", "FCALL", "FCALL_RO"};
    std::vector<slow_script> out;
    for (std::size_t at = 0; at < reply.size(); ++at) {
        const auto entry = reply[at];
        if (entry.size() < 4 || entry[3].size() == 0) { continue; }
        std::string command{entry[3].word(0)};
        std::transform(command.begin(), command.end(), command.begin(),
                       [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
        if (std::find(script_commands.begin(), script_commands.end(), command) !=
            script_commands.end()) {
            out.push_back({std::chrono::microseconds{entry.number(2)}, std::move(command)});
        }
    }
    return out;
}

bool is_lock_key(std::string_view key, std::string_view prefix) {
    if (!key.starts_with(prefix)) { return false; }
    key.remove_prefix(prefix.size());
    const auto end = key.rfind('}');
    if (!key.starts_with('{') || end == std::string_view::npos || end < 2) { return false; }
    const auto rest = key.substr(end + 1);
    return rest.empty() || (rest.size() == 2 && rest[0] == ':' &&
                            std::find(lock_key_endings.begin(), lock_key_endings.end(),
                                      rest.substr(1)) != lock_key_endings.end());
}

bool is_our_key(std::string_view key, std::string_view prefix) {
    if (is_lock_key(key, prefix)) { return true; }
    if (!key.starts_with(prefix)) { return false; }
    key.remove_prefix(prefix.size());
    return std::any_of(server_keys.begin(), server_keys.end(), [&](std::string_view name) {
        if (!key.starts_with(name)) { return false; }
        const auto rest = key.substr(name.size());
        return rest.empty() || (rest.size() > 3 && rest.starts_with(":{") && rest.ends_with('}') &&
                                is_number(rest.substr(2, rest.size() - 3)));
    });
}

} // namespace holdfast::engine::redis
