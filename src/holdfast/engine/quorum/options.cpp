#include "holdfast/engine/quorum/options.hpp"

#include "holdfast/base/random.hpp"
#include "holdfast/engine/url_values.hpp"

#include <algorithm>

namespace holdfast::engine::quorum {

namespace {

std::optional<std::int64_t> number(const url& url, std::string_view key, std::int64_t least,
                                   std::int64_t most) {
    const auto* const text = find_value(url, key);
    if (text == nullptr) { return std::nullopt; }
    const auto value = parse_number(*text, most);
    if (!value || *value < least) {
        refuse_url("query: " + std::string{key} + ": must be a number from " +
                   std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

void parse_time(const url& url, std::string_view key, std::int64_t least, std::int64_t most,
                base::milliseconds& out) {
    if (const auto value = number(url, key, least, most)) { out = base::milliseconds{*value}; }
}

} // namespace

base::milliseconds quorum_settings::timeout_for(base::milliseconds lease) const noexcept {
    return node_timeout.count() > 0 ? node_timeout : std::max(lease / 20, least_timeout);
}

quorum_settings quorum_settings::from(const url& url) {
    constexpr std::int64_t minute = 60'000;
    quorum_settings out;
    out.seed = base::random_seed();
    parse_time(url, "node_timeout", 1, minute, out.node_timeout);
    parse_time(url, "retry_min", 1, minute, out.retry_min);
    parse_time(url, "retry_max", 1, minute, out.retry_max);
    if (url.query.contains("retry_min") && !url.query.contains("retry_max")) {
        out.retry_max = std::max(out.retry_max, out.retry_min);
    }
    if (out.retry_min > out.retry_max) {
        refuse_url("query: retry_min: must not be above retry_max");
    }
    if (const auto tries = number(url, "tries", 1, 1'000'000)) {
        out.tries = static_cast<unsigned>(*tries);
    }
    if (const auto drift = number(url, "drift", 0, minute)) {
        out.drift = base::milliseconds{*drift};
    }
    if (const auto longest = parse_max_lease(url)) { out.max_lease = *longest; }
    parse_choice(url, "rejoin_delay", out.rejoin_delay);
    return out;
}

} // namespace holdfast::engine::quorum
