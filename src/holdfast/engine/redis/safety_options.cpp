#include "holdfast/engine/redis/safety_options.hpp"

#include "holdfast/engine/url_values.hpp"

namespace holdfast::engine::redis {

namespace {

constexpr unsigned most_replicas = 100;

void parse_replicas(const std::string& text, options& out) {
    const auto value = parse_number(text, most_replicas);
    if (!value) { refuse_url("query: replicas: must be a number from 0 to 100"); }
    out.replicas = *value;
}

} // namespace

void parse_safety(const url& url, options& out) {
    if (const auto* const text = find_value(url, "replicas")) { parse_replicas(*text, out); }
    if (const auto longest = parse_max_lease(url)) {
        if (out.layout != layout::native) {
            refuse_url("query: max_lease: only with layout=native, because locks of other layouts "
                       "have no room for it");
        }
        out.max_lease = *longest;
    }
}

} // namespace holdfast::engine::redis
