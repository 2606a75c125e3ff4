#include "holdfast/engine/quorum/options.hpp"

#include "holdfast/base/random.hpp"

#include <holdfast/error.hpp>
#include <holdfast/options.hpp>

#include <algorithm>
#include <charconv>

namespace holdfast::engine::quorum {

namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw error{errc::invalid_url, "URL: query: " + why};
}

std::optional<std::int64_t> number(const url& url, std::string_view key, std::int64_t least,
                                   std::int64_t most) {
    const auto found = url.query.find(key);
    if (found == url.query.end()) { return std::nullopt; }
    const auto& text = found->second;
    std::int64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (text.empty() || failure != std::errc{} || stop != end || value < least || value > most) {
        refuse(std::string{key} + ": must be a number from " + std::to_string(least) + " to " +
               std::to_string(most));
    }
    return value;
}

void parse_time(const url& url, std::string_view key, std::int64_t least, std::int64_t most,
                base::milliseconds& out) {
    if (const auto value = number(url, key, least, most)) { out = base::milliseconds{*value}; }
}

} // namespace

base::milliseconds options::timeout_for(base::milliseconds lease) const noexcept {
    return node_timeout.count() > 0 ? node_timeout : std::max(lease / 20, least_timeout);
}

options options::from(const url& url) {
    constexpr std::int64_t minute = 60'000;
    options out;
    out.seed = base::random_seed();
    parse_time(url, "node_timeout", 1, minute, out.node_timeout);
    parse_time(url, "retry_min", 1, minute, out.retry_min);
    parse_time(url, "retry_max", 1, minute, out.retry_max);
    if (url.query.contains("retry_min") && !url.query.contains("retry_max")) {
        out.retry_max = std::max(out.retry_max, out.retry_min);
    }
    if (out.retry_min > out.retry_max) { refuse("retry_min: must not be above retry_max"); }
    if (const auto tries = number(url, "tries", 1, 1'000'000)) {
        out.tries = static_cast<unsigned>(*tries);
    }
    if (const auto drift = number(url, "drift", 0, minute)) {
        out.drift = base::milliseconds{*drift};
    }
    const auto day = std::chrono::duration_cast<base::milliseconds>(limits::longest_lease).count();
    if (const auto found = url.query.find("max_lease"); found != url.query.end()) {
        const auto value = read_duration(found->second);
        if (!value || *value < limits::least_lease || value->count() > day) {
            refuse("max_lease: must be a duration from 100ms to 24h, for example 60s");
        }
        out.max_lease = *value;
    }
    if (const auto found = url.query.find("rejoin_delay"); found != url.query.end()) {
        if (found->second != "yes" && found->second != "no") {
            refuse("rejoin_delay: must be yes or no");
        }
        out.rejoin_delay = found->second == "yes";
    }
    return out;
}

} // namespace holdfast::engine::quorum
