#include "holdfast/engine/admission/cell_rule.hpp"

#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/misuse_texts.hpp"

#include <holdfast/error.hpp>
#include <holdfast/options.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace holdfast::engine::admission {

namespace {

/// How long the token and order of an erased cell are kept: no older write of that token makes it
/// again.
constexpr base::milliseconds erase_memory{65'000};

std::int64_t us(base::milliseconds span) noexcept {
    return std::chrono::microseconds{span}.count();
}

} // namespace

std::optional<answer> reject_invalid(const cell_op& operation) {
    if (operation.value.size() > max_cell_value) {
        return failed_answer(errc::limit_reached, "the value has more than " +
                                                      std::to_string(max_cell_value) + " bytes");
    }
    if (operation.member.size() > limits::member_bytes) {
        return failed_answer(errc::limit_reached, "the id of an arrival has more than " +
                                                      std::to_string(limits::member_bytes) +
                                                      " bytes");
    }
    return std::nullopt;
}

/// A cell that has expired is like one that never was.
cell_rule::cell_rule(cell& cell, const moment& at, std::vector<push>& out)
    : cell_{cell}, at_{at}, out_{out} {
    if (cell_.expires_us > at_.wall_us) { return; }
    auto watchers = std::move(cell_.watchers);
    cell_ = {};
    cell_.watchers = std::move(watchers);
}

answer cell_rule::apply(const cell_op& operation) {
    answer out;
    if (at_.now > operation.not_after) {
        out.status = op_status::busy;
        return out;
    }
    switch (operation.action) {
    case cell_op::action_kind::read: break;
    case cell_op::action_kind::write: write(operation); break;
    case cell_op::action_kind::erase: erase(operation); break;
    case cell_op::action_kind::arrive:
        if (auto refused = arrive(operation)) { return std::move(*refused); }
        break;
    }
    if (operation.watches) { watch(operation.ticket.owner); }
    out.status = op_status::reported;
    const auto token = cell_.birth != 0 ? cell_.token : 0;
    out.cell = std::make_shared<const cell_state>(cell_state{cell_.birth, token, cell_.phase,
                                                             cell_.arrived, cell_.expected,
                                                             cell_.value, applied_, counted_in_});
    return out;
}

/// A write with the same token and order is not outdated: it is the same one again.
bool cell_rule::is_outdated(const cell_op& operation) const noexcept {
    return operation.token < cell_.token ||
           (operation.token == cell_.token && operation.order < cell_.order);
}

void cell_rule::write(const cell_op& operation) {
    if (is_outdated(operation)) { return; }
    const bool own = cell_.birth != 0 && operation.token == cell_.token;
    if (own && operation.order == cell_.order) {
        applied_ = true; // it was done before
        return;
    }
    if (operation.condition == write_if::own && !own) { return; }
    if (operation.condition == write_if::empty && !cell_.value.empty()) { return; }
    cell_.token = operation.token;
    cell_.order = operation.order;
    cell_.value = operation.value;
    keep(operation);
    notify();
    applied_ = true;
}

void cell_rule::erase(const cell_op& operation) {
    if (is_outdated(operation)) { return; }
    if (operation.token == 0 && operation.birth != cell_.birth) {
        applied_ = operation.birth != 0; // it was done before, or it only asks
        return;
    }
    if (cell_.birth != 0) {
        if (operation.token != cell_.token) { return; }
        notify();
        cell_ = {};
    }
    applied_ = true;
    if (operation.token == 0) { return; }
    cell_.token = operation.token;
    cell_.order = operation.order;
    cell_.expires_us = at_.wall_us + us(erase_memory);
}

std::optional<answer> cell_rule::arrive(const cell_op& operation) {
    if (cell_.birth != 0 && cell_.expected != operation.expected) {
        return failed_answer(errc::wrong_limit, other_count_text(cell_.expected));
    }
    if (operation.cyclic && cell_.birth != 0) {
        const bool expects_none = operation.birth == 0;
        const bool same = expects_none
                              ? cell_.phase == 0
                              : operation.birth == cell_.birth && operation.phase == cell_.phase;
        if (!same) {
            // Its first request may have counted, in the phase that has just ended.
            const bool just_before =
                expects_none ? cell_.phase == 1
                             : operation.birth == cell_.birth && operation.phase + 1 == cell_.phase;
            applied_ = just_before && cell_.last_members.contains(operation.member);
            if (applied_) { counted_in_ = cell_.phase - 1; }
            return std::nullopt;
        }
    } else if (operation.cyclic && operation.birth != 0) {
        return std::nullopt; // it has been forgotten
    }
    count(operation);
    return std::nullopt;
}

void cell_rule::count(const cell_op& operation) {
    applied_ = true;
    counted_in_ = cell_.phase;
    const bool is_complete = !operation.cyclic && cell_.phase > 0;
    if (is_complete || cell_.members.contains(operation.member)) { return; }
    cell_.members.emplace(operation.member, operation.weight);
    cell_.expected = operation.expected;
    cell_.arrived =
        std::min(cell_.expected, cell_.arrived + std::min(operation.weight, cell_.expected));
    keep(operation);
    if (cell_.arrived == cell_.expected) { complete_phase(operation.cyclic); }
}

void cell_rule::complete_phase(bool cyclic) {
    ++cell_.phase;
    if (cyclic) {
        cell_.arrived = 0;
        cell_.last_members = std::move(cell_.members);
        cell_.members.clear();
    }
    notify();
}

void cell_rule::keep(const cell_op& operation) {
    if (cell_.birth == 0) { cell_.birth = static_cast<std::uint64_t>(at_.wall_us); }
    cell_.expires_us =
        operation.keep.count() == 0 ? cell::never_us : at_.wall_us + us(operation.keep);
}

void cell_rule::watch(const base::owner_id& owner) {
    const auto until = at_.wall_us + us(waiter_timeout);
    const auto known = std::find_if(cell_.watchers.begin(), cell_.watchers.end(),
                                    [&](const cell::watcher& each) { return each.owner == owner; });
    if (known != cell_.watchers.end()) {
        known->alive_until_us = until;
        return;
    }
    drop_dead_watchers();
    if (cell_.watchers.size() < max_watchers) { cell_.watchers.push_back({owner, until}); }
}

void cell_rule::drop_dead_watchers() {
    std::erase_if(cell_.watchers, [&](const cell::watcher& each) {
        return each.alive_until_us <= at_.wall_us || !at_.alive(each.owner.client);
    });
}

void cell_rule::notify() {
    drop_dead_watchers();
    for (const auto& each : cell_.watchers) {
        out_.push_back({each.owner.client, {notice::kind::maybe_free, each.owner.number, 0}});
    }
    cell_.watchers.clear();
}

bool cell_rule::is_deletable() const noexcept {
    return cell_.birth == 0 && cell_.token == 0 &&
           std::none_of(cell_.watchers.begin(), cell_.watchers.end(),
                        [&](const auto& each) { return each.alive_until_us > at_.wall_us; });
}

} // namespace holdfast::engine::admission
