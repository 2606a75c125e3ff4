#include "holdfast/engine/redis/checkup/cluster_view.hpp"

#include "holdfast/engine/redis/protocol/hash_slot.hpp"
#include "holdfast/engine/redis/protocol/info.hpp"
#include "holdfast/engine/redis/url_parts.hpp"

#include <algorithm>
#include <optional>

namespace holdfast::engine::redis {

namespace {

/// Takes the text up to the separator from the front.
std::string_view take(std::string_view& text, char separator) {
    const auto end = std::min(text.find(separator), text.size());
    const auto out = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return out;
}

/// `host:port@bus,name`; the host may be an IPv6 address, or empty.
std::optional<announced_address> read_address(std::string_view text, std::string_view own_host) {
    text = text.substr(0, text.find('@'));
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) { return std::nullopt; }
    const auto port = parse_number<std::uint16_t>(text.substr(colon + 1), 65'535);
    const auto host = text.substr(0, colon);
    if (!port) { return std::nullopt; }
    return announced_address{std::string{host.empty() ? own_host : host}, *port};
}

/// `5`, `0-5460`, or a slot that is being moved: `[93-<-id]`, `[77->-id]`.
void add_slots(std::string_view word, cluster_member& out) {
    if (word.starts_with('[')) {
        ++out.open_slots;
        return;
    }
    const auto first = parse_number<unsigned>(take(word, '-'), slot_count - 1);
    const auto last = word.empty() ? first : parse_number<unsigned>(word, slot_count - 1);
    if (first && last && *first <= *last) { out.slots += *last - *first + 1; }
}

/// id address flags master ping pong epoch link slots...
std::optional<cluster_member> read_member(std::string_view line, std::string_view own_host) {
    cluster_member out;
    out.id = take(line, ' ');
    const auto address = read_address(take(line, ' '), own_host);
    auto flags = take(line, ' ');
    out.master = take(line, ' ');
    for (int skipped = 0; skipped < 3; ++skipped) { (void)take(line, ' '); }
    const auto link = take(line, ' ');
    if (!address || link.empty()) { return std::nullopt; }
    out.address = *address;
    out.suspected = link != "connected";
    while (!flags.empty()) {
        const auto flag = take(flags, ',');
        if (flag == "myself") { out.suspected = false; }
        if (flag == "master") { out.is_master = true; }
        if (flag == "fail") { out.failed = true; }
        if (flag == "fail?") { out.suspected = true; }
        if (flag == "noaddr" || flag == "handshake") { return std::nullopt; }
    }
    while (!line.empty()) { add_slots(take(line, ' '), out); }
    return out;
}

} // namespace

cluster_view read_cluster(std::string_view info, std::string_view nodes, std::string_view host) {
    cluster_view out;
    out.state = info_line('\n' + std::string{info}, "cluster_state");
    while (!nodes.empty()) {
        auto line = take(nodes, '\n');
        if (line.ends_with('\r')) { line.remove_suffix(1); }
        if (auto member = read_member(line, host)) {
            if (!member->failed) { out.covered += member->slots; }
            out.members.push_back(std::move(*member));
        }
    }
    return out;
}

} // namespace holdfast::engine::redis
