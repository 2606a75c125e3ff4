#include "holdfast/engine/redis/topology/master_claims.hpp"

#include "holdfast/net/endpoint.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

master_claims::master_claims(std::vector<std::string> sentinels, std::string master)
    : master_{std::move(master)} {
    for (auto& each : sentinels) { sentinels_.push_back({.address = std::move(each)}); }
}

void master_claims::start_search() noexcept {
    settled_ = base::never;
    for (auto& each : sentinels_) {
        if (each.state == state::named || each.state == state::ignorant) {
            each.state = state::silent;
        }
    }
}

void master_claims::on_asked(std::size_t sentinel) noexcept {
    sentinels_[sentinel].state = state::asked;
}

void master_claims::on_named(std::size_t sentinel, announced_address master, std::uint64_t epoch,
                             instant now) {
    auto& mine = sentinels_[sentinel];
    mine.claimed = {std::move(master), epoch};
    mine.state = state::named;
    settled_ = std::min(settled_, now + settling);
}

void master_claims::on_switched(std::size_t sentinel, announced_address master, instant now) {
    auto& mine = sentinels_[sentinel];
    if (!mine.claimed || mine.state == state::ignorant || mine.state == state::down) { return; }
    if (mine.claimed->master == master) { return; }
    on_named(sentinel, std::move(master), mine.claimed->epoch + 1, now);
}

void master_claims::on_ignorant(std::size_t sentinel) noexcept {
    sentinels_[sentinel].claimed.reset();
    sentinels_[sentinel].state = state::ignorant;
}

void master_claims::on_down(std::size_t sentinel, std::error_code code, std::string reason,
                            instant now) {
    auto& mine = sentinels_[sentinel];
    if (mine.state != state::down && mine.claimed) { mine.down_since = now; }
    mine.state = state::down;
    mine.code = code;
    mine.reason = std::move(reason);
}

std::size_t master_claims::count(state wanted) const noexcept {
    return static_cast<std::size_t>(std::ranges::count(sentinels_, wanted, &sentinel_state::state));
}

bool master_claims::counts(const sentinel_state& sentinel, instant now) const noexcept {
    return sentinel.claimed &&
           (sentinel.state != state::down || now < sentinel.down_since + memory);
}

std::vector<const master_claims::claim*> master_claims::newest(instant now) const {
    std::vector<const claim*> out;
    for (const auto& each : sentinels_) {
        if (!counts(each, now)) { continue; }
        if (!out.empty() && each.claimed->epoch > out.front()->epoch) { out.clear(); }
        if (out.empty() || each.claimed->epoch == out.front()->epoch) {
            out.push_back(&*each.claimed);
        }
    }
    return out;
}

std::optional<announced_address> master_claims::best(instant now) const {
    const auto claims = newest(now);
    const auto supporters = [&](const claim* candidate) {
        return std::ranges::count_if(
            claims, [&](const claim* each) { return each->master == candidate->master; });
    };
    for (const auto* const each : claims) {
        const auto count = static_cast<std::size_t>(supporters(each));
        if (count == claims.size() || 2 * count > sentinels_.size()) { return each->master; }
    }
    return std::nullopt;
}

master_claims::verdict master_claims::decide(instant now) const {
    const bool asking = count(state::asked) > 0;
    if (count(state::named) == 0) { return asking ? verdict::undecided : verdict::failed; }
    if (asking && now < settled_) { return verdict::undecided; }
    return best(now) ? verdict::found : verdict::failed;
}

std::string master_claims::text_of(const sentinel_state& sentinel) const {
    const auto name = "Sentinel at " + sentinel.address;
    switch (sentinel.state) {
    case state::silent:
    case state::asked: return name + ": no answer yet";
    case state::named:
        return name + " names " + sentinel.claimed->master.text() + " (config-epoch " +
               std::to_string(sentinel.claimed->epoch) + ')';
    case state::ignorant: return name + " knows no master '" + master_ + '\'';
    case state::down: break;
    }
    return sentinel.reason;
}

search_failure master_claims::why(instant now) const {
    search_failure out{errc::unavailable, {}};
    const auto down = count(state::down);
    const auto& code = sentinels_.front().code;
    if (count(state::ignorant) == size()) {
        out = {errc::unsupported, "correct the master's name in the URL: "};
    } else if (down == size()) {
        if (std::ranges::count(sentinels_, code, &sentinel_state::code) ==
            static_cast<std::ptrdiff_t>(size())) {
            out.code = code;
        }
        out.text = "no sentinel can be asked for the master '" + master_ + "': ";
    } else if (count(state::named) > 0 && !best(now)) {
        out.text = "the sentinels disagree about the master '" + master_ +
                   "'; correct their configuration: ";
    } else {
        out.text = "no sentinel names the master '" + master_ + "': ";
    }
    for (const auto& each : sentinels_) {
        if (&each != &sentinels_.front()) { out.text += "; "; }
        out.text += text_of(each);
    }
    return out;
}

std::size_t master_claims::supporters(const announced_address& master) const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(sentinels_, [&](const auto& each) {
        return each.state != state::down && each.claimed && each.claimed->master == master;
    }));
}

std::string master_claims::dissent(const announced_address& master) const {
    std::string out;
    for (const auto& each : sentinels_) {
        const bool supports = each.claimed && each.claimed->master == master;
        if (supports && each.state != state::down) { continue; }
        out += (out.empty() ? "" : "; ") + text_of(each);
    }
    return out;
}

} // namespace holdfast::engine::redis
