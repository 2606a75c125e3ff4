#include "holdfast/engine/redis/topology/sentinel.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

namespace {

std::vector<std::string> addresses(const sentinel_options& options) {
    std::vector<std::string> out;
    for (const auto& each : options.servers) { out.push_back(each.text()); }
    return out;
}

} // namespace

sentinel::sentinel(const options& options, std::vector<std::string> inbox_channels,
                   message_handler& inbox, node_listener& listener)
    : options_{options},
      listener_{listener},
      claims_{addresses(*options.sentinel), options.sentinel->master},
      wait_{options.backoff_seed},
      node_{options, *this, std::move(inbox_channels), inbox, *this} {
    for (std::size_t at = 0; at < claims_.size(); ++at) {
        links_.push_back(std::make_unique<sentinel_link>(options, at, claims_));
    }
}

std::optional<rejection> sentinel::reject(const hello& hello) const {
    const auto& name = options_.sentinel->master;
    if (hello.mode != "standalone") {
        return rejection{errc::unsupported, " runs in mode " + std::string{hello.mode} +
                                                "; sentinels name it as the master '" + name +
                                                "', but it must be a server that runs alone"};
    }
    if (hello.role != "master") {
        return rejection{errc::unavailable, " is a replica, but sentinels name it as the master '" +
                                                name + "'; a failover may be under way"};
    }
    return std::nullopt;
}

std::optional<net::endpoint> sentinel::endpoint(instant now, connect_when when) {
    if (!std::exchange(confirmed_, false)) {
        if (state_ != state::pausing || when == connect_when::at_once || now >= retry_) {
            search(now, when);
        }
        return std::nullopt;
    }
    auto out = options_.map.translate(master_->host, master_->port);
    out.tls = options_.server.tls;
    return out;
}

std::string sentinel::server() const {
    return "the master '" + options_.sentinel->master + "' of the sentinels";
}

std::string sentinel::why_no_endpoint() const {
    switch (state_) {
    case state::idle: break;
    case state::searching: return claims_.why(base::instant{}).text;
    case state::pausing: return failure_.text;
    }
    return {};
}

void sentinel::search(instant now, connect_when when) {
    const bool again = std::exchange(state_, state::searching) == state::searching;
    if (!again) { claims_.start_search(); }
    for (const auto& each : links_) {
        // Those that answer are asked once: otherwise many tries would never let a search end.
        if (!again || each->is_down()) { each->ask(now, when); }
    }
}

void sentinel::connect(announced_address master, instant now) {
    state_ = state::idle;
    master_ = std::move(master);
    confirmed_ = true;
    node_.connect(now, connect_when::at_once);
}

void sentinel::finish_search(instant now) {
    switch (claims_.decide(now)) {
    case master_claims::verdict::undecided: return;
    case master_claims::verdict::found: wait_.reset(); return connect(*claims_.best(now), now);
    case master_claims::verdict::failed: break;
    }
    state_ = state::pausing;
    retry_ = now + wait_.next();
    failure_ = claims_.why(now);
    listener_.on_ended(node_, {failure_.code, failure_.text, false});
}

/// Outside of a search: a sentinel may say that the master has moved.
void sentinel::follow_claims(instant now) {
    auto best = claims_.best(now);
    if (!master_ || !best || *best == *master_) { return; }
    moving_ =
        node_.break_off(server() + " has moved from " + master_->text() + " to " + best->text());
    connect(std::move(*best), now);
}

void sentinel::drive(std::span<const pollfd> ready, instant now) {
    for (const auto& each : links_) { each->drive(ready, now); }
    if (state_ == state::pausing && now >= retry_) { search(now, connect_when::due); }
    if (state_ == state::searching) {
        finish_search(now);
    } else {
        follow_claims(now);
    }
    node_.drive(ready, now);
    // The end of the former connection has been reported now, unless it is being read.
    if (confirmed_) { node_.connect(now, connect_when::at_once); }
}

void sentinel::on_ready(node& node, bool again, instant now) {
    listener_.on_ready(node, again, now);
}

void sentinel::on_ended(node& node, const connection_loss& loss) {
    // Operations that wait for a connection wait for the next one.
    if (std::exchange(moving_, false)) { return; }
    auto named = loss;
    if (!loss.retry_now) {
        named.detail += "; it is the master '" + options_.sentinel->master + "' according to " +
                        std::to_string(claims_.supporters(*master_)) + " of " +
                        std::to_string(claims_.size()) + " sentinels";
    }
    listener_.on_ended(node, named);
}

void sentinel::pollables(std::vector<pollfd>& out) const {
    for (const auto& each : links_) { each->pollables(out); }
    topology::pollables(out);
}

instant sentinel::due() const noexcept {
    if (confirmed_) { return {}; } // a direct read has kept the node from connecting
    auto next = topology::due();
    for (const auto& each : links_) { next = std::min(next, each->due()); }
    if (state_ == state::searching) { next = std::min(next, claims_.due()); }
    if (state_ == state::pausing) { next = std::min(next, retry_); }
    return next;
}

void sentinel::reset() noexcept {
    for (const auto& each : links_) { each->reset(); }
    confirmed_ = false;
    moving_ = false;
    topology::reset();
}

std::string sentinel::about(const node& node) const {
    auto out = node.about() + ", the master '" + options_.sentinel->master + "' according to " +
               std::to_string(claims_.supporters(*master_)) + " of " +
               std::to_string(claims_.size()) + " sentinels";
    if (const auto others = claims_.dissent(*master_); !others.empty()) { out += "; " + others; }
    return out;
}

} // namespace holdfast::engine::redis
