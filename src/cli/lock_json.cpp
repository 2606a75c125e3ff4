#include "cli/lock_json.hpp"

#include "cli/json_name.hpp"
#include "cli/party_text.hpp"
#include "cli/process_command.hpp"
#include "cli/script_output.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

namespace holdfast::cli {

namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string token_or_null(std::uint64_t token) {
    return token == 0 ? "null" : std::to_string(token);
}

std::string text_or_null(const std::string& text) {
    return text.empty() ? "null" : json_quote(text);
}

/// Of a holder and of a waiter; `age_name` says what its age is.
std::string party_members(const party& party, const char* age_name, const std::string& command) {
    const bool dated = party.since.time_since_epoch().count() != 0;
    return "\"owner\": " + json_quote(party.owner) + ", \"mode\": \"" + mode_name(party.mode) +
           "\", \"permits\": " + number(party.permits) + ", \"host\": " + text_or_null(party.host) +
           ", \"pid\": " + (party.pid == 0 ? "null" : number(party.pid)) +
           ", \"note\": " + text_or_null(party.note) + ", \"command\": " + text_or_null(command) +
           ", \"since\": " + (dated ? json_time(party.since) : "null") + ", \"" + age_name +
           "\": " + (dated ? number(party.age.count()) : "null") +
           ", \"lease_ms\": " + (party.lease.count() > 0 ? number(party.lease.count()) : "null") +
           ", \"remaining_ms\": " + (has_expiry(party) ? number(party.remaining.count()) : "null");
}

template <typename Members>
std::string json_array(const std::vector<party>& parties, Members members) {
    std::string out = "[";
    for (const auto& party : parties) {
        out += (out.size() > 1 ? ", {" : "{") + members(party) + "}";
    }
    return out + "]";
}

std::string as_holder(const party& holder) { return holder_members(holder); }

std::string as_waiter(const party& waiter) {
    return party_members(waiter, "waited_ms", process_command(waiter));
}

std::string head_of(const std::string& name, const char* kind) {
    return "{" + json_name(name) + ", \"kind\": \"" + kind + "\", ";
}

std::string holder_or_null(const lock_info& lock) {
    return lock.holders.empty() ? "null" : "{" + as_holder(lock.holders.front()) + "}";
}

} // namespace

std::string json_time(std::chrono::system_clock::time_point time) {
    const auto us =
        std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
    const auto seconds = static_cast<std::time_t>(us / 1'000'000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::array<char, 8> fraction{};
    std::snprintf(fraction.data(), fraction.size(), ".%03d", static_cast<int>(us / 1'000 % 1'000));
    return '"' + std::string{text.data(), length} + fraction.data() + "Z\"";
}

std::string holder_members(const party& holder) {
    return holder_members(holder, process_command(holder));
}

std::string holder_members(const party& holder, const std::string& command) {
    return party_members(holder, "held_ms", command) +
           ", \"token\": " + token_or_null(holder.token) +
           ", \"resting\": " + (holder.resting ? "true" : "false");
}

std::string as_json(const lock_info& lock) {
    return head_of(lock.name, kind_name(lock.kind)) + "\"limit\": " + number(lock.limit) +
           ", \"last_token\": " + token_or_null(lock.last_token) +
           ", \"holders\": " + json_array(lock.holders, as_holder) +
           ", \"waiters\": " + json_array(lock.waiters, as_waiter) + "}\n";
}

std::string as_json(const coordination_info& found, const std::string& name) {
    std::string out;
    if (const auto& election = found.election) {
        out += head_of(name, "election") + "\"term\": " + token_or_null(election->term) +
               ", \"value\": " + text_or_null(election->value) +
               ", \"leader\": " + holder_or_null(election->office) +
               ", \"candidates\": " + json_array(election->office.waiters, as_waiter) + "}\n";
    }
    if (const auto& once = found.once) {
        out += head_of(name, "once") + "\"done\": " + (once->is_done ? "true" : "false") +
               ", \"exit_code\": " + (once->exit_code ? number(*once->exit_code) : "null") +
               ", \"runner\": " + holder_or_null(once->running) +
               ", \"waiters\": " + json_array(once->running.waiters, as_waiter) + "}\n";
    }
    if (const auto& latch = found.latch) {
        out += head_of(name, "latch") + "\"arrived\": " + number(latch->arrived) +
               ", \"expected\": " + number(latch->expected) +
               ", \"open\": " + (is_open(*latch) ? "true" : "false") + "}\n";
    }
    return out;
}

} // namespace holdfast::cli
