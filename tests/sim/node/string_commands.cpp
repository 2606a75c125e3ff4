// Commands on strings and on keys of any type.

#include "sim/node/commands.hpp"

#include <algorithm>
#include <array>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::sim {

namespace {

void get(command_host& host, word_list words, reply_sink& out) {
    const auto found = find_value<std::string>(host.keys(), words[1], out);
    if (found.failed) { return; }
    if (found.value == nullptr) { return out.null(); }
    out.bulk(*found.value);
}

struct set_options {
    bool nx = false;
    bool xx = false;
    bool get = false;
    bool keep_ttl = false;
    std::int64_t expires_ms = key_entry::no_expiry;
};

/// Empty, or the error.
std::string_view read_options(word_list words, std::int64_t now_ms, set_options& options) {
    for (std::size_t at = 3; at < words.size(); ++at) {
        if (is_option(words[at], "NX")) {
            options.nx = true;
        } else if (is_option(words[at], "XX")) {
            options.xx = true;
        } else if (is_option(words[at], "GET")) {
            options.get = true;
        } else if (is_option(words[at], "KEEPTTL")) {
            options.keep_ttl = true;
        } else if (is_option(words[at], "PX") && at + 1 < words.size()) {
            const auto span = to_integer(words[++at]);
            if (!span) { return not_an_integer; }
            if (*span <= 0) { return "ERR invalid expire time in 'set' command"; }
            options.expires_ms = now_ms + *span;
        } else {
            return syntax_error;
        }
    }
    return {};
}

void set(command_host& host, word_list words, reply_sink& out) {
    auto& keys = host.keys();
    set_options options;
    if (const auto fault = read_options(words, keys.clock(), options); !fault.empty()) {
        return out.error(fault);
    }
    key_entry* const entry = keys.find(words[1]);
    const auto* const before = entry == nullptr ? nullptr : std::get_if<std::string>(&entry->value);
    if (options.get && entry != nullptr && before == nullptr) { return out.error(wrong_type); }
    const bool done = entry == nullptr ? !options.xx : !options.nx;
    if (options.get) {
        before == nullptr ? out.null() : out.bulk(*before);
    } else {
        done ? out.status("OK") : out.null();
    }
    if (!done) { return; }
    if (options.keep_ttl && entry != nullptr) { options.expires_ms = entry->expires_ms; }
    if (before != nullptr) { // reuses its memory
        std::get<std::string>(entry->value) = words[2];
        entry->expires_ms = options.expires_ms;
    } else {
        keys.put(words[1], {std::string{words[2]}, options.expires_ms});
    }
}

void set_range(command_host& host, word_list words, reply_sink& out) {
    const auto offset = to_integer(words[2]);
    if (!offset) { return out.error(not_an_integer); }
    auto* const value = need_value<std::string>(host.keys(), words[1], out);
    if (value == nullptr) { return; }
    const auto begin = static_cast<std::size_t>(*offset);
    if (value->size() < begin + words[3].size()) { value->resize(begin + words[3].size()); }
    std::copy(words[3].begin(), words[3].end(),
              value->begin() + static_cast<std::ptrdiff_t>(begin));
    out.integer(static_cast<std::int64_t>(value->size()));
}

void increment(command_host& host, word_list words, reply_sink& out) {
    auto* const value = need_value<std::string>(host.keys(), words[1], out);
    if (value == nullptr) { return; }
    const auto number = value->empty() ? std::optional<std::int64_t>{0} : to_integer(*value);
    if (!number) { return out.error(not_an_integer); }
    *value = std::to_string(*number + 1);
    out.integer(*number + 1);
}

void remove(command_host& host, word_list words, reply_sink& out) {
    std::int64_t count = 0;
    for (const auto key : words.subspan(1)) { count += host.keys().erase(key) ? 1 : 0; }
    out.integer(count);
}

void exists(command_host& host, word_list words, reply_sink& out) {
    std::int64_t count = 0;
    for (const auto key : words.subspan(1)) { count += host.keys().find(key) != nullptr ? 1 : 0; }
    out.integer(count);
}

void type(command_host& host, word_list words, reply_sink& out) {
    static constexpr std::array<std::string_view, 3> names{"string", "hash", "zset"};
    const key_entry* const entry = host.keys().find(words[1]);
    out.status(entry == nullptr ? "none" : names.at(entry->value.index()));
}

void expire(command_host& host, word_list words, reply_sink& out) {
    const auto span = to_integer(words[2]);
    if (!span) { return out.error(not_an_integer); }
    const bool only_later = words.size() > 3 && is_option(words[3], "GT");
    if (words.size() > 3 && !only_later) { return out.error(syntax_error); }
    auto& keys = host.keys();
    key_entry* const entry = keys.find(words[1]);
    if (entry == nullptr) { return out.integer(0); }
    const auto expires = keys.clock() + *span;
    const bool is_later = entry->expires_ms != key_entry::no_expiry && expires > entry->expires_ms;
    if (only_later && !is_later) { return out.integer(0); }
    entry->expires_ms = expires;
    if (expires <= keys.clock()) { keys.erase(words[1]); }
    out.integer(1);
}

void time_to_live(command_host& host, word_list words, reply_sink& out) {
    const key_entry* const entry = host.keys().find(words[1]);
    if (entry == nullptr) { return out.integer(-2); }
    if (entry->expires_ms == key_entry::no_expiry) { return out.integer(-1); }
    out.integer(std::max<std::int64_t>(entry->expires_ms - host.keys().clock(), 0));
}

void publish(command_host& host, word_list words, reply_sink& out) {
    out.integer(static_cast<std::int64_t>(host.publish(words[1], words[2])));
}

void time(command_host& host, word_list /*words*/, reply_sink& out) {
    constexpr std::int64_t us_per_second = 1'000'000;
    const auto now = host.clock_us();
    out.array(2);
    out.bulk(std::to_string(now / us_per_second));
    out.bulk(std::to_string(now % us_per_second));
}

void info(command_host& host, word_list /*words*/, reply_sink& out) { out.bulk(host.info()); }

/// In one page, whatever the pattern: callers ignore the keys that are not theirs.
void scan(command_host& host, word_list /*words*/, reply_sink& out) {
    out.array(2);
    out.bulk("0");
    const auto& all = host.keys().all();
    out.array(all.size());
    for (const auto& [key, entry] : all) { out.bulk(key); }
}

constexpr std::array<command_entry, 13> entries{{
    {"GET", 2, get},
    {"SET", 3, set},
    {"SETRANGE", 4, set_range},
    {"INCR", 2, increment},
    {"DEL", 2, remove},
    {"EXISTS", 2, exists},
    {"TYPE", 2, type},
    {"PEXPIRE", 3, expire},
    {"PTTL", 2, time_to_live},
    {"PUBLISH", 3, publish},
    {"TIME", 1, time},
    {"INFO", 1, info},
    {"SCAN", 2, scan},
}};

} // namespace

std::span<const command_entry> string_commands() { return entries; }

} // namespace holdfast::sim
