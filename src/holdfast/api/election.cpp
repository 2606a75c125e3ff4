// compiled alone
#include "holdfast/api/access.hpp"
#include "holdfast/api/cell_mutex.hpp"
#include "holdfast/api/failure.hpp"
#include "holdfast/api/leadership.hpp"

#include <holdfast/election.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace holdfast {

using action = engine::cell_op::action_kind;
using detail::wait_limit;

namespace {

/// How often an observer checks that the leader is still there. Changes are pushed, but nobody
/// pushes that a leader has crashed.
constexpr std::chrono::milliseconds check_pause{1000};

/// Between two attempts of observe() to reach the engine.
constexpr std::chrono::milliseconds retry_pause{200};

void pause(const std::stop_token& stop) {
    std::mutex guard;
    std::condition_variable_any stopped;
    std::unique_lock lock{guard};
    stopped.wait_for(lock, stop, retry_pause, [] { return false; });
}

} // namespace

class election::body {
public:
    body(const client& client, std::string plain_name, election_options options)
        : name{std::move(plain_name)},
          cell{detail::access::core(client), "election", name},
          office{
              client,
              cell.name,
              {.lease = options.lease, .margin = options.margin, .note = std::move(options.note)}} {
    }

    /// Empty with a failure only. If the value cannot be published the term ends at once.
    [[nodiscard]] leadership begin(lease&& held, std::string value, wait_limit wait,
                                   std::error_code* failure) const {
        if (!held) { return {}; }
        leadership out{std::make_unique<leadership::body>(cell, std::move(held))};
        if (!out.body_->publish(std::move(value), wait, failure)) { return {}; }
        return out;
    }

    struct observation {
        leader_state leader{};
        std::uint64_t cell_token = 0;
        std::string cell_value{};
        std::error_code failure{};
    };

    /// The value counts only if its term is that of the lock's holder.
    [[nodiscard]] observation look(wait_limit wait, const std::stop_token& stop,
                                   api::stop_policy policy, std::error_code* failure) const {
        observation out;
        const auto seen = cell.run({cell.op(action::read), {}, wait}, stop, policy, failure);
        out.failure = seen.failure;
        if (seen.failure) { return out; }
        out.cell_token = seen.cell->token;
        out.cell_value = seen.cell->value;
        const auto lock = cell.core->execute(engine::inspect_op{cell.name, {}}, wait.at_most, stop);
        out.failure = lock.failure;
        if (lock.failure) {
            const bool gave_up =
                lock.failure == errc::cancelled && policy == api::stop_policy::gives_up;
            if (!gave_up) { api::fail(failure, lock.failure, cell.text, lock.detail); }
            return out;
        }
        const auto& holders = lock.answer.report->locks.front().holders;
        const auto holder = std::find_if(holders.begin(), holders.end(),
                                         [](const party& each) { return !each.resting; });
        if (holder == holders.end()) { return out; }
        out.leader = {holder->token, {}, holder->owner};
        if (holder->token == out.cell_token) { out.leader.value = out.cell_value; }
        return out;
    }

    /// Waits until the cell differs from the observed one, or until the leader must be checked.
    [[nodiscard]] bool watch(const observation& last, wait_limit wait, const std::stop_token& stop,
                             api::stop_policy policy, std::error_code* failure) const {
        const auto changed = [&last](const engine::cell_state& seen) {
            return seen.token != last.cell_token || seen.value != last.cell_value;
        };
        const wait_limit limit{std::min<std::chrono::nanoseconds>(wait.at_most, check_pause)};
        return !cell.run({cell.op(action::read), changed, limit}, stop, policy, failure).failure;
    }

    [[nodiscard]] leader_state wait_for_change(const leader_state& known, wait_limit wait,
                                               const std::stop_token& stop, api::stop_policy policy,
                                               std::error_code* failure) const {
        const auto& core = *cell.core;
        const bool limited = wait.at_most < wait_limit::unlimited().at_most;
        const auto until = limited ? base::later(core.now(), wait.at_most) : base::never;
        const auto left = [&] {
            return limited ? wait_limit::from(until - core.now()) : wait_limit::unlimited();
        };
        while (true) {
            const auto seen = look(left(), stop, policy, failure);
            if (seen.failure) { return known; }
            const auto rest = left();
            if (seen.leader != known || rest.at_most.count() == 0) { return seen.leader; }
            if (!watch(seen, rest, stop, policy, failure)) { return known; }
        }
    }

    std::string name;
    api::cell_object cell;
    api::cell_mutex office;
};

election::election(const client& client, std::string name, election_options options)
    : body_{std::make_shared<body>(client, std::move(name), std::move(options))} {}

election::~election() = default;

leadership election::campaign(std::string value, const wait_options& options) {
    return body_->begin(body_->office.acquire({.stop = options.stop}), std::move(value),
                        wait_limit::unlimited(), nullptr);
}
leadership election::campaign(std::string value, const wait_options& options,
                              std::error_code& failure) {
    auto held = body_->office.acquire({.stop = options.stop}, failure);
    return body_->begin(std::move(held), std::move(value), wait_limit::unlimited(), &failure);
}

std::optional<leadership> election::try_campaign(std::string value) {
    return campaign_at_most(wait_limit::none(), std::move(value), {}, nullptr);
}
std::optional<leadership> election::try_campaign(std::string value, std::error_code& failure) {
    return campaign_at_most(wait_limit::none(), std::move(value), {}, &failure);
}

std::optional<leadership> election::campaign_at_most(wait_limit wait, std::string value,
                                                     const wait_options& options,
                                                     std::error_code* failure) {
    const acquire_options call{.stop = options.stop};
    const auto until = base::later(body_->cell.core->now(), wait.at_most);
    auto held = failure == nullptr ? body_->office.try_acquire_for(wait.at_most, call)
                                   : body_->office.try_acquire_for(wait.at_most, call, *failure);
    if (!held) { return std::nullopt; }
    const auto left = std::max<std::chrono::nanoseconds>(until - body_->cell.core->now(), {});
    auto out = body_->begin(std::move(*held), std::move(value), wait_limit{left}, failure);
    if (!out) { return std::nullopt; }
    return out;
}

bool election::publish(const lease& held, std::string value, std::error_code& failure) const {
    if (!held || held.name() != body_->cell.name) {
        api::fail(&failure, make_error_code(errc::not_held), body_->cell.text);
        return false;
    }
    return api::publish_value(body_->cell, held, 1, std::move(value), wait_limit::unlimited(),
                              &failure);
}

leader_state election::leader() const {
    return body_->look(wait_limit::unlimited(), {}, api::stop_policy::fails, nullptr).leader;
}
leader_state election::leader(std::error_code& failure) const {
    return body_->look(wait_limit::unlimited(), {}, api::stop_policy::fails, &failure).leader;
}

leader_state election::wait_for_change(const leader_state& known,
                                       const wait_options& options) const {
    return body_->wait_for_change(known, wait_limit::unlimited(), options.stop,
                                  api::stop_policy::fails, nullptr);
}
leader_state election::wait_for_change(const leader_state& known, const wait_options& options,
                                       std::error_code& failure) const {
    return body_->wait_for_change(known, wait_limit::unlimited(), options.stop,
                                  api::stop_policy::fails, &failure);
}

leader_state election::change_at_most(const leader_state& known, wait_limit wait,
                                      const wait_options& options, std::error_code* failure) const {
    return body_->wait_for_change(known, wait, options.stop, api::stop_policy::gives_up, failure);
}

void election::observe(const std::stop_token& stop,
                       const std::function<void(const leader_state&)>& callback) const {
    std::optional<leader_state> known;
    while (!stop.stop_requested()) {
        std::error_code failure;
        const auto next =
            known ? wait_for_change(*known, {.stop = stop}, failure)
                  : body_->look(wait_limit::unlimited(), stop, api::stop_policy::fails, &failure)
                        .leader;
        if (failure == errc::forked) { api::fail(nullptr, failure, body_->cell.text); }
        if (failure) {
            pause(stop);
            continue;
        }
        if (known && next == *known) { continue; }
        known = next;
        callback(next);
    }
}

const std::string& election::name() const noexcept { return body_->name; }

} // namespace holdfast
