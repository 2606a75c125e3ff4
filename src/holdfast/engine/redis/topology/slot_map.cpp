#include "holdfast/engine/redis/topology/slot_map.hpp"

#include <algorithm>
#include <string>

namespace holdfast::engine::redis {

namespace {

constexpr std::int64_t max_port = 65'535;

/// `[first, last, [host, port, ...], replicas...]`.
std::optional<slot_range> read_range(const reply& reply, std::string_view host) {
    if (reply.size() < 3 || reply[2].size() < 2) { return std::nullopt; }
    const auto first = reply.number(0);
    const auto last = reply.number(1);
    const auto port = reply[2].number(1);
    if (first < 0 || first > last || last >= slot_count || port <= 0 || port > max_port) {
        return std::nullopt;
    }
    slot_range out{static_cast<unsigned>(first), static_cast<unsigned>(last), {}};
    const auto named = reply[2].word(0);
    out.master.host = named.empty() ? host : named;
    out.master.port = static_cast<std::uint16_t>(port);
    return out;
}

} // namespace

std::optional<std::vector<slot_range>> read_slots(const reply& reply, std::string_view host) {
    if (!reply.is_array()) { return std::nullopt; }
    std::vector<slot_range> out;
    for (std::size_t at = 0; at < reply.size(); ++at) {
        auto range = read_range(reply[at], host);
        if (!range) { return std::nullopt; }
        // A node of which the server does not know the host name yet.
        if (range->master.host != "?") { out.push_back(std::move(*range)); }
    }
    return out;
}

std::size_t slot_map::masters() const noexcept {
    return static_cast<std::size_t>(std::count_if(
        masters_.begin(), masters_.end(), [](const known_master& each) { return each.slots > 0; }));
}

slot_map::index slot_map::find(const announced_address& address) const noexcept {
    for (std::size_t at = 0; at < masters_.size(); ++at) {
        if (masters_[at].address == address) { return static_cast<index>(at); }
    }
    return nobody;
}

slot_map::index slot_map::find_or_add(const announced_address& address) {
    if (const auto known = find(address); known != nobody) { return known; }
    const auto unused = std::find_if(masters_.begin(), masters_.end(), [](const auto& each) {
        return each.slots == 0 && !each.kept;
    });
    if (unused != masters_.end()) {
        unused->address = address;
        return static_cast<index>(unused - masters_.begin());
    }
    if (masters_.size() >= max_masters) { return nobody; }
    masters_.push_back({address});
    return static_cast<index>(masters_.size() - 1);
}

void slot_map::assign(unsigned slot, index master) noexcept {
    auto& owner = owners_[slot];
    if (owner != nobody) {
        --masters_[owner].slots;
        --covered_;
    }
    owner = master;
    if (owner != nobody) {
        ++masters_[owner].slots;
        ++covered_;
    }
}

slot_map::changes slot_map::replace(const std::vector<slot_range>& ranges,
                                    std::span<const slot_move> moves) {
    changes out;
    std::vector<index> next(slot_count, nobody);
    std::vector<index> found; // kept until they have their slots
    for (const auto& range : ranges) {
        const auto master = find_or_add(range.master);
        if (master == nobody) { continue; }
        if (!masters_[master].kept) { found.push_back(master); }
        masters_[master].kept = true;
        std::fill(next.begin() + range.first, next.begin() + range.last + 1, master);
    }
    for (const auto& move : moves) {
        out.contradicted = out.contradicted || next[move.slot] != move.master;
        next[move.slot] = move.master;
    }
    for (unsigned slot = 0; slot < slot_count; ++slot) {
        if (owners_[slot] == next[slot]) { continue; }
        out.moved = out.moved || (owners_[slot] != nobody && next[slot] != nobody);
        assign(slot, next[slot]);
    }
    for (const auto master : found) { masters_[master].kept = false; }
    return out;
}

unsigned slot_map::slot_of(index master, unsigned nth) const noexcept {
    unsigned left = nth % masters_[master].slots;
    unsigned slot = 0;
    while (owners_[slot] != master || left-- > 0) { ++slot; }
    return slot;
}

slot_map::index slot_map::first_from(std::string_view address, bool after) const {
    index out = nobody;
    std::string best;
    for (std::size_t at = 0; at < masters_.size(); ++at) {
        if (masters_[at].slots == 0) { continue; }
        auto text = masters_[at].address.text();
        if (text < address || (after && text == address) || (out != nobody && text >= best)) {
            continue;
        }
        out = static_cast<index>(at);
        best = std::move(text);
    }
    return out;
}

} // namespace holdfast::engine::redis
