// Commands on sorted sets.

#include "sim/node/commands.hpp"

#include <algorithm>
#include <array>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::sim {

namespace {

zset_value::iterator member_of(zset_value& zset, std::string_view name) {
    return std::find_if(zset.begin(), zset.end(),
                        [name](const auto& each) { return each.member == name; });
}

void zadd(command_host& host, word_list words, reply_sink& out) {
    const auto score = to_score(words[2]);
    if (!score) {
        return out.error(words.size() > 4 ? syntax_error : "ERR value is not a valid float");
    }
    auto* const zset = need_value<zset_value>(host.keys(), words[1], out);
    if (zset == nullptr) { return; }
    std::int64_t added = 0;
    for (std::size_t at = 2; at + 1 < words.size(); at += 2) {
        scored_member changed{to_score(words[at]).value_or(0), std::string{words[at + 1]}};
        const auto found = member_of(*zset, words[at + 1]);
        added += found == zset->end() ? 1 : 0;
        if (found != zset->end()) { zset->erase(found); }
        zset->insert(std::lower_bound(zset->begin(), zset->end(), changed), std::move(changed));
    }
    out.integer(added);
}

void zrem(command_host& host, word_list words, reply_sink& out) {
    const auto [zset, failed] = find_value<zset_value>(host.keys(), words[1], out);
    if (failed) { return; }
    std::int64_t count = 0;
    for (const auto name : words.subspan(2)) {
        if (zset == nullptr) { break; }
        const auto found = member_of(*zset, name);
        if (found == zset->end()) { continue; }
        zset->erase(found);
        ++count;
    }
    if (zset != nullptr && zset->empty()) { host.keys().erase(words[1]); }
    out.integer(count);
}

void write_members(std::span<const scored_member> members, bool with_scores, reply_sink& out) {
    out.array(members.size() * (with_scores ? 2 : 1));
    for (const auto& each : members) {
        out.bulk(each.member);
        if (with_scores) { out.bulk(score_text(each.score)); }
    }
}

void zrange(command_host& host, word_list words, reply_sink& out) {
    const auto first = to_integer(words[2]);
    const auto last = to_integer(words[3]);
    if (!first || !last) { return out.error(not_an_integer); }
    const bool with_scores = words.size() > 4 && is_option(words[4], "WITHSCORES");
    if (words.size() > (with_scores ? 5U : 4U)) { return out.error(syntax_error); }
    const auto [zset, failed] = find_value<zset_value>(host.keys(), words[1], out);
    if (failed) { return; }
    if (zset == nullptr) { return out.array(0); }
    const auto size = static_cast<std::int64_t>(zset->size());
    const auto begin = std::max<std::int64_t>(*first < 0 ? *first + size : *first, 0);
    const auto end = std::min(*last < 0 ? *last + size : *last, size - 1) + 1;
    if (begin >= end) { return out.array(0); }
    write_members(std::span{*zset}.subspan(static_cast<std::size_t>(begin),
                                           static_cast<std::size_t>(end - begin)),
                  with_scores, out);
}

/// The members from `words[2]` to `words[3]`, both included; empty if those are not scores.
std::span<scored_member> by_score(zset_value& zset, word_list words) {
    const auto least = to_score(words[2]);
    const auto most = to_score(words[3]);
    if (!least || !most) { return {}; }
    const auto begin = std::find_if(zset.begin(), zset.end(),
                                    [&](const auto& each) { return each.score >= *least; });
    const auto end =
        std::find_if(begin, zset.end(), [&](const auto& each) { return each.score > *most; });
    return {begin, end};
}

void zrangebyscore(command_host& host, word_list words, reply_sink& out) {
    const auto [zset, failed] = find_value<zset_value>(host.keys(), words[1], out);
    if (failed) { return; }
    if (zset == nullptr) { return out.array(0); }
    auto found = by_score(*zset, words);
    if (words.size() == 7 && is_option(words[4], "LIMIT")) {
        const auto skipped = static_cast<std::size_t>(to_integer(words[5]).value_or(0));
        const auto count = static_cast<std::size_t>(to_integer(words[6]).value_or(0));
        found = found.subspan(std::min(skipped, found.size()));
        found = found.first(std::min(count, found.size()));
    } else if (words.size() != 4) {
        return out.error(syntax_error);
    }
    write_members(found, false, out);
}

void zremrangebyscore(command_host& host, word_list words, reply_sink& out) {
    const auto [zset, failed] = find_value<zset_value>(host.keys(), words[1], out);
    if (failed) { return; }
    if (zset == nullptr) { return out.integer(0); }
    const auto found = by_score(*zset, words);
    out.integer(static_cast<std::int64_t>(found.size()));
    const auto begin = zset->begin() + (found.data() - zset->data());
    zset->erase(begin, begin + static_cast<std::ptrdiff_t>(found.size()));
    if (zset->empty()) { host.keys().erase(words[1]); }
}

void zrank(command_host& host, word_list words, reply_sink& out) {
    const auto [zset, failed] = find_value<zset_value>(host.keys(), words[1], out);
    if (failed) { return; }
    if (zset == nullptr) { return out.null(); }
    const auto found = member_of(*zset, words[2]);
    found == zset->end() ? out.null() : out.integer(found - zset->begin());
}

void zscore(command_host& host, word_list words, reply_sink& out) {
    const auto [zset, failed] = find_value<zset_value>(host.keys(), words[1], out);
    if (failed) { return; }
    if (zset == nullptr) { return out.null(); }
    const auto found = member_of(*zset, words[2]);
    found == zset->end() ? out.null() : out.bulk(score_text(found->score));
}

void zcard(command_host& host, word_list words, reply_sink& out) {
    const auto [zset, failed] = find_value<zset_value>(host.keys(), words[1], out);
    if (failed) { return; }
    out.integer(zset == nullptr ? 0 : static_cast<std::int64_t>(zset->size()));
}

constexpr std::array<command_entry, 8> entries{{
    {"ZADD", 4, zadd},
    {"ZREM", 3, zrem},
    {"ZRANGE", 4, zrange},
    {"ZRANGEBYSCORE", 4, zrangebyscore},
    {"ZREMRANGEBYSCORE", 4, zremrangebyscore},
    {"ZRANK", 3, zrank},
    {"ZSCORE", 3, zscore},
    {"ZCARD", 2, zcard},
}};

} // namespace

std::span<const command_entry> zset_commands() { return entries; }

} // namespace holdfast::sim
