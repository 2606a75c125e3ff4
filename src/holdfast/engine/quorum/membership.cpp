#include "holdfast/engine/quorum/membership.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::quorum {

using base::instant;

membership::membership(std::vector<std::string> labels, base::milliseconds max_lease)
    : max_lease_{max_lease} {
    for (auto& label : labels) { nodes_.emplace_back().label = std::move(label); }
}

unsigned membership::healthy() const noexcept {
    return static_cast<unsigned>(std::count_if(nodes_.begin(), nodes_.end(),
                                               [](const member& each) { return !each.silent; }));
}

bool membership::may_probe(const member& node, instant now) const noexcept {
    return !node.silent || now >= node.next_probe || healthy() < majority_of(size());
}

membership::readiness membership::check(unsigned node, instant now) const noexcept {
    const auto& each = nodes_[node];
    switch (each.state) {
    case state::joined:
        return now >= each.votes_from && may_probe(each, now) ? readiness::votes : readiness::down;
    case state::unjoined: return may_probe(each, now) ? readiness::joining : readiness::down;
    default: return readiness::joining;
    }
}

bool membership::is_joining(unsigned node) const noexcept {
    const auto present = nodes_[node].state;
    return present == state::joining || present == state::nameless || present == state::naming;
}

bool membership::reachable(unsigned node, instant now) const noexcept {
    return may_probe(nodes_[node], now);
}

std::uint64_t membership::id_to_check(unsigned node) const noexcept {
    return max_lease_.count() > 0 ? nodes_[node].id : 0;
}

std::string membership::trouble(unsigned node, instant now) const {
    const auto& each = nodes_[node];
    if (each.state == state::joined && now < each.votes_from) {
        const auto left = std::chrono::ceil<std::chrono::seconds>(each.votes_from - now);
        return "votes in " + std::to_string(left.count()) + " s";
    }
    return each.detail.empty() ? "has not answered" : "failed: " + each.detail;
}

std::string membership::why_some_wait(instant now) const {
    const auto waits = [now](const member& each) {
        return each.state == state::joined && now < each.votes_from;
    };
    if (std::none_of(nodes_.begin(), nodes_.end(), waits)) { return {}; }
    return "a node that is new, was restarted or has lost its data votes when every lease that it "
           "may have forgotten has ended (max_lease is " +
           std::to_string(max_lease_.count()) + " ms)";
}

std::optional<join_op> membership::next_join(unsigned node, instant now) {
    auto& each = nodes_[node];
    if (!defect_.empty()) { return std::nullopt; }
    if (each.state == state::unjoined && may_probe(each, now)) {
        each.state = state::joining;
        each.looked = now;
        if (each.silent) { each.next_probe = now + probe_pause; }
        return join_op{.max_lease = max_lease_, .mode = join_mode::look};
    }
    return next_naming(node, now);
}

std::optional<join_op> membership::next_naming(unsigned node, instant now) {
    auto& each = nodes_[node];
    if (each.state != state::nameless || !defect_.empty()) { return std::nullopt; }
    const auto tried = [](const member& other) { return other.tried; };
    if (!std::all_of(nodes_.begin(), nodes_.end(), tried)) { return std::nullopt; }
    auto until = base::never;
    for (const auto& other : nodes_) {
        const bool has_no_name = other.state == state::nameless || other.state == state::naming;
        const bool is_new = has_no_name && other.looks_new && !other.silent;
        until = is_new ? std::min(until, other.looked + longest_look) : now;
        if (until <= now) { break; }
    }
    each.state = state::naming;
    if (until <= now) { return join_op{.max_lease = max_lease_, .mode = join_mode::vote_later}; }
    return join_op{.max_lease = max_lease_, .mode = join_mode::vote_now, .not_after = until};
}

void membership::on_join_answer(unsigned node, const answer& answer, instant now) {
    auto& each = nodes_[node];
    each.tried = true;
    if (answer.status != op_status::reported || answer.report == nullptr) {
        each.state = state::unjoined;
        each.looks_new = false;
        if (answer.error == errc::invalid_option) { defect_ = answer.detail; }
        return on_silence(node, answer.detail, now);
    }
    on_contact(node);
    const auto& report = *answer.report;
    if (report.node_id == 0) {
        each.looks_new = report.looks_new;
        each.state = each.state == state::naming ? state::unjoined : state::nameless;
        return;
    }
    each.id = report.node_id;
    each.state = state::joined;
    each.looks_new = false; // if it has no name later, it has lost it
    // By this client's clock as well: the node's own may be stepped forward meanwhile.
    each.votes_from = std::max(each.votes_from, now + report.votes_in);
    find_duplicate(node);
}

/// Two addresses of one server would give it two votes.
void membership::find_duplicate(unsigned node) {
    for (unsigned other = 0; other < size(); ++other) {
        if (other == node || nodes_[other].id != nodes_[node].id ||
            nodes_[other].state != state::joined) {
            continue;
        }
        const auto [first, second] = std::minmax(node, other);
        defect_ = "quorum: " + nodes_[first].label + " and " + nodes_[second].label +
                  " are the same server; every node must be a server of its own";
    }
}

void membership::on_left(unsigned node) noexcept {
    auto& each = nodes_[node];
    if (each.state == state::joined || each.state == state::nameless) {
        each.state = state::unjoined;
        each.looks_new = false;
    }
}

void membership::on_reset() noexcept {
    for (auto& each : nodes_) {
        if (each.state == state::joining || each.state == state::naming) {
            each.state = state::unjoined;
        }
    }
}

void membership::on_contact(unsigned node) noexcept { nodes_[node].silent = false; }

void membership::on_silence(unsigned node, const std::string& detail, instant now) {
    auto& each = nodes_[node];
    each.silent = true;
    each.next_probe = now + probe_pause;
    each.detail = without_server(detail);
}

std::string without_server(const std::string& detail) {
    constexpr std::string_view opening = "Redis at ";
    const auto end = detail.starts_with(opening) ? detail.find(": ") : std::string::npos;
    return end == std::string::npos ? detail : detail.substr(end + 2);
}

} // namespace holdfast::engine::quorum
