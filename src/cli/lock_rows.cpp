#include "cli/lock_rows.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"
#include "cli/party_text.hpp"
#include "cli/process_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

milliseconds oldest(const lock_info& lock) {
    milliseconds out{0};
    for (const auto& holder : lock.holders) { out = std::max(out, holder.age); }
    return out;
}

milliseconds least_left(const lock_info& lock) {
    milliseconds out = milliseconds::max();
    for (const auto& holder : lock.holders) { out = std::min(out, holder.remaining); }
    return out;
}

std::uint64_t highest_token(const lock_info& lock) {
    std::uint64_t out = 0;
    for (const auto& holder : lock.holders) { out = std::max(out, holder.token); }
    return out;
}

bool comes_before(const lock_info& left, const lock_info& right, lock_order order) {
    switch (order) {
    case lock_order::name: break;
    case lock_order::age:
        if (oldest(left) != oldest(right)) { return oldest(left) > oldest(right); }
        break;
    case lock_order::waiters:
        if (left.waiters.size() != right.waiters.size()) {
            return left.waiters.size() > right.waiters.size();
        }
        break;
    case lock_order::left:
        if (least_left(left) != least_left(right)) { return least_left(left) < least_left(right); }
        break;
    case lock_order::token:
        if (highest_token(left) != highest_token(right)) {
            return highest_token(left) > highest_token(right);
        }
        break;
    }
    return left.name < right.name;
}

colour left_colour(const party& holder) {
    constexpr milliseconds soon{2'000};
    if (holder.resting) { return colour::dim; }
    return !has_expiry(holder) || holder.remaining < soon ? colour::red : colour::none;
}

table_row holder_row(const lock_info& lock, const party& holder) {
    const auto waiting = lock.waiters.size();
    return {
        {name_text(lock.name), colour::bold},
        {mode_text(lock, holder), holder.resting ? colour::dim : colour::none},
        {origin_text(holder), holder.resting ? colour::dim : colour::none},
        {holder.token == 0 ? "" : std::to_string(holder.token)},
        {age_text(holder)},
        {left_text(holder), left_colour(holder)},
        {std::to_string(waiting), waiting > 0 ? colour::yellow : colour::none},
        {escape_text(holder.note)},
        {escape_text(process_command(holder))},
    };
}

} // namespace

std::optional<lock_order> parse_lock_order(const std::string& text) {
    if (text == "name") { return lock_order::name; }
    if (text == "age") { return lock_order::age; }
    if (text == "waiters") { return lock_order::waiters; }
    if (text == "left") { return lock_order::left; }
    if (text == "token") { return lock_order::token; }
    return std::nullopt;
}

void sort_locks(std::vector<lock_info>& locks, lock_order order) {
    std::sort(locks.begin(), locks.end(), [order](const lock_info& left, const lock_info& right) {
        return comes_before(left, right, order);
    });
}

std::vector<std::string> lock_titles() {
    return {"NAME", "MODE", "HOLDER", "TOKEN", "HELD", "LEFT", "WAITERS", "NOTE", "COMMAND"};
}

void add_rows(text_table& table, const lock_info& lock) {
    for (const auto& holder : lock.holders) { table.add(holder_row(lock, holder)); }
    if (!lock.holders.empty()) { return; }
    table.add({{name_text(lock.name), colour::bold},
               {},
               {},
               {},
               {},
               {},
               {std::to_string(lock.waiters.size()), colour::yellow},
               {},
               {}});
}

std::string mode_text(const lock_info& lock, const party& party) {
    if (party.mode == mode::permits) {
        return std::to_string(party.permits) + " of " + std::to_string(lock.limit);
    }
    return mode_name(party.mode);
}

std::string origin_text(const party& party) {
    if (knows_owner_only(party)) { return escape_text(party.owner); }
    return escape_text(party.host) + ":" + std::to_string(party.pid);
}

std::string age_text(const party& party) {
    const bool known = party.since.time_since_epoch().count() != 0;
    return known ? format_duration(party.age) : std::string{};
}

std::string left_text(const party& party) {
    if (!has_expiry(party)) { return "no expiry"; }
    const auto left = format_duration(std::max(party.remaining, milliseconds{0}));
    return party.resting ? left + " resting" : left;
}

} // namespace holdfast::cli
