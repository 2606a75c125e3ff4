#include "holdfast/engine/redis/safety_options.hpp"

#include <holdfast/error.hpp>
#include <holdfast/options.hpp>

#include <charconv>

namespace holdfast::engine::redis {

namespace {

constexpr unsigned most_replicas = 100;

[[noreturn]] void refuse(const std::string& why) {
    throw error{errc::invalid_url, "URL: query: " + why};
}

void parse_replicas(const std::string& text, options& out) {
    const auto* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, out.replicas);
    if (text.empty() || failure != std::errc{} || stop != end || out.replicas > most_replicas) {
        refuse("replicas: must be a number from 0 to 100");
    }
}

void parse_max_lease(const std::string& text, options& out) {
    const auto value = read_duration(text);
    if (!value || *value < limits::least_lease || *value > limits::longest_lease) {
        refuse("max_lease: must be a duration from 100ms to 24h, for example 30s");
    }
    if (out.layout != layout::native) {
        refuse("max_lease: only with layout=native, because locks of other layouts have no room "
               "for it");
    }
    out.max_lease = *value;
}

} // namespace

void parse_safety(const url& url, options& out) {
    if (const auto found = url.query.find("replicas"); found != url.query.end()) {
        parse_replicas(found->second, out);
    }
    if (const auto found = url.query.find("max_lease"); found != url.query.end()) {
        parse_max_lease(found->second, out);
    }
}

} // namespace holdfast::engine::redis
