#include "holdfast/engine/redis/checkup/sentinel_view.hpp"

#include "holdfast/engine/redis/checkup/server_facts.hpp"
#include "holdfast/engine/redis/url_parts.hpp"

#include <limits>

namespace holdfast::engine::redis {

namespace {

using pairs = std::map<std::string, std::string, std::less<>>;

std::string_view value(const pairs& from, std::string_view key) {
    const auto found = from.find(key);
    return found == from.end() ? std::string_view{} : found->second;
}

std::uint64_t number(const pairs& from, std::string_view key) {
    return parse_number(value(from, key), std::numeric_limits<std::uint64_t>::max()).value_or(0);
}

watched_server read_server(const pairs& from) {
    watched_server out;
    out.address = {std::string{value(from, "ip")},
                   parse_number<std::uint16_t>(value(from, "port"), 65'535).value_or(0)};
    out.flags = value(from, "flags");
    out.is_down = out.flags.find("_down") != std::string::npos ||
                  out.flags.find("disconnected") != std::string::npos;
    return out;
}

} // namespace

void read_master(const reply& reply, sentinel_view& out) {
    if (!reply.is_array()) { return; }
    const auto fields = read_pairs(reply);
    out.master = read_server(fields);
    out.knows_it = out.master.address.port != 0 && !out.master.address.host.empty();
    out.epoch = number(fields, "config-epoch");
    out.quorum = number(fields, "quorum");
    out.others = number(fields, "num-other-sentinels");
}

std::vector<watched_server> read_replicas(const reply& reply) {
    std::vector<watched_server> out;
    for (std::size_t at = 0; at < reply.size(); ++at) {
        auto server = read_server(read_pairs(reply[at]));
        if (server.address.port != 0) { out.push_back(std::move(server)); }
    }
    return out;
}

} // namespace holdfast::engine::redis
