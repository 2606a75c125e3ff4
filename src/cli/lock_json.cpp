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
std::string party_members(const party& party, const char* age_name) {
    const bool dated = party.since.time_since_epoch().count() != 0;
    return "\"owner\": " + json_quote(party.owner) + ", \"mode\": \"" + mode_name(party.mode) +
           "\", \"permits\": " + number(party.permits) + ", \"host\": " + text_or_null(party.host) +
           ", \"pid\": " + (party.pid == 0 ? "null" : number(party.pid)) +
           ", \"note\": " + text_or_null(party.note) +
           ", \"command\": " + text_or_null(process_command(party)) +
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
    return party_members(holder, "held_ms") + ", \"token\": " + token_or_null(holder.token) +
           ", \"resting\": " + (holder.resting ? "true" : "false");
}

std::string as_json(const lock_info& lock) {
    const auto waiter_members = [](const party& waiter) {
        return party_members(waiter, "waited_ms");
    };
    return "{" + json_name(lock.name) + ", \"kind\": \"" + kind_name(lock.kind) +
           "\", \"limit\": " + number(lock.limit) +
           ", \"last_token\": " + token_or_null(lock.last_token) +
           ", \"holders\": " + json_array(lock.holders, holder_members) +
           ", \"waiters\": " + json_array(lock.waiters, waiter_members) + "}\n";
}

} // namespace holdfast::cli
