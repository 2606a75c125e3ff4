#include "holdfast/engine/quorum/quorum_engine.hpp"

#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/quorum/acquire_task.hpp"
#include "holdfast/engine/quorum/beat_task.hpp"
#include "holdfast/engine/quorum/internal_tasks.hpp"
#include "holdfast/engine/quorum/list_task.hpp"
#include "holdfast/engine/quorum/node_op_id.hpp"
#include "holdfast/engine/quorum/query_task.hpp"
#include "holdfast/engine/quorum/release_task.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <cassert>
#include <type_traits>
#include <utility>

namespace holdfast::engine::quorum {

using base::instant;

namespace {

constexpr const char* no_cells =
    "has no latches, barriers, once flags and elections: their values would be on single nodes, "
    "and a majority of them cannot be changed in one step; use a client of one server for them";

std::vector<std::unique_ptr<engine>> take_engines(std::vector<quorum_node>& nodes) {
    std::vector<std::unique_ptr<engine>> out;
    out.reserve(nodes.size());
    for (auto& each : nodes) { out.push_back(std::move(each.access)); }
    return out;
}

std::vector<std::string> take_labels(std::vector<quorum_node>& nodes) {
    std::vector<std::string> out;
    out.reserve(nodes.size());
    for (auto& each : nodes) { out.push_back(std::move(each.label)); }
    return out;
}

layout layout_of(const std::vector<quorum_node>& nodes) {
    return nodes.front().access->caps(primitive::mutex).layout;
}

} // namespace

quorum_engine::quorum_engine(std::vector<quorum_node> members, const quorum_settings& options,
                             const client_identity& identity)
    : task_host{options, take_labels(members), layout_of(members), identity.client},
      time_{*identity.time},
      group_{take_engines(members)} {}

quorum_engine::~quorum_engine() = default;

capabilities quorum_engine::caps_in(primitive kind, const lock_format& format) const {
    auto can = group_.member(0).caps_in(kind, format);
    can.label = can.layout == layout::plain ? "a quorum in layout plain" : "a quorum";
    if (kind == primitive::semaphore) {
        can.supported = false;
        can.why_unsupported =
            "has no semaphores: permits are counted on each node, and two majorities could "
            "together grant more than the limit; use a client of one server for them";
    }
    can.fifo = false;
    can.queue = queueing::hint;
    can.fencing = can.fencing && proposes(format);
    if (can.layout == layout::plain) {
        can.why_no_fencing = "has no fencing tokens; use layout native for those";
    }
    if (can.layout != layout::native && can.layout != layout::plain) {
        can.supported = false;
        can.why_unsupported = "has the layouts native and plain only; use one of these";
    }
    can.readers_fence = false;
    can.frees_dead_at_once = false;
    can.sees_waiters = false;
    can.reclaims = can.joins = can.sets = can.downgrades = can.resizes = false;
    can.why_no_cells = no_cells;
    can.dead_waiter_delay = base::milliseconds{0};
    can.longest_lease = settings.max_lease;
    can.longest_lease_option = "max_lease in the URL";
    can.drift = settings.drift;
    can.tries = settings.tries;
    return can;
}

void quorum_engine::attach(sink& sink) {
    sink_ = &sink;
    group_.attach(sink);
}

instant quorum_engine::clock() const noexcept {
    const auto seen = sink_->now();
    return seen == base::never ? time_.now() : seen;
}

std::uint64_t quorum_engine::next_proposal() {
    const auto clock = static_cast<std::uint64_t>(std::max<std::int64_t>(time_.wall_us(), 1));
    last_proposal_ = std::max(last_proposal_ + 1, clock);
    return last_proposal_;
}

std::unique_ptr<task> quorum_engine::make_task(op_id id, const op& op, instant give_up) {
    task_host& host = *this;
    return std::visit(
        [&](const auto& each) -> std::unique_ptr<task> {
            using type = std::decay_t<decltype(each)>;
            if constexpr (std::is_same_v<type, acquire_op>) {
                return std::make_unique<acquire_task>(host, id, each, give_up);
            } else if constexpr (std::is_same_v<type, beat_op>) {
                return std::make_unique<beat_task>(host, id, each, give_up);
            } else if constexpr (std::is_same_v<type, release_op> ||
                                 std::is_same_v<type, withdraw_op>) {
                return std::make_unique<release_task>(host, id, op, give_up);
            } else if constexpr (std::is_same_v<type, list_op>) {
                return std::make_unique<list_task>(host, id, each, give_up);
            } else {
                return std::make_unique<query_task>(host, id, op, give_up);
            }
        },
        op);
}

void quorum_engine::submit(op_id id, const op& op, instant give_up) {
    assert(sink_ != nullptr);
    std::optional<answer> rejected;
    if (const auto* const acquire = std::get_if<acquire_op>(&op)) {
        rejected = admission::reject_invalid(*acquire);
        if (!rejected && acquire->kind == primitive::semaphore) {
            rejected = admission::failed_answer(errc::unsupported, "a quorum has no semaphores");
        }
        if (!rejected && !nodes.defect().empty()) {
            rejected = admission::failed_answer(errc::invalid_option, nodes.defect());
        }
        if (!rejected && acquire->lease > settings.max_lease) {
            rejected = admission::failed_answer(errc::invalid_option,
                                                "lease: is above max_lease of the quorum's URL");
        }
    }
    if (std::holds_alternative<join_op>(op)) {
        rejected = admission::failed_answer(errc::unsupported, "a quorum is no node of another");
    }
    if (std::holds_alternative<cell_op>(op)) {
        rejected = admission::failed_answer(errc::unsupported, no_cells);
    }
    if (std::holds_alternative<acquire_set_op>(op) || std::holds_alternative<release_set_op>(op)) {
        rejected = admission::failed_answer(errc::unsupported,
                                            "a quorum does not acquire several names in one step");
    }
    if (std::holds_alternative<downgrade_op>(op)) {
        rejected = admission::failed_answer(errc::unsupported, "a quorum does not downgrade");
    }
    if (std::holds_alternative<resize_op>(op)) {
        rejected = admission::failed_answer(errc::unsupported, "a quorum has no semaphores");
    }
    if (rejected) {
        rejected->id = id;
        sink_->answered(std::move(*rejected));
        return;
    }
    const auto now = clock();
    start(make_task(id, op, give_up), now);
    handle_events(now);
}

task& quorum_engine::add(std::unique_ptr<task> task) {
    if (free_.empty()) {
        free_.reserve(slots_.size() + 1); // so that giving a slot back does not throw
        slots_.emplace_back();
        free_.push_back(slots_.size() - 1);
    }
    auto& entry = slots_[free_.back()];
    entry.generation = entry.generation == last_generation ? 1 : entry.generation + 1;
    entry.task = std::move(task);
    entry.task->slot = free_.back();
    free_.pop_back();
    return *entry.task;
}

void quorum_engine::start(std::unique_ptr<task> task, instant now) {
    auto& started = add(std::move(task));
    if (started.is_open()) {
        ++open_tasks_;
        earliest_ = std::min(earliest_, started.give_up());
    }
    started.start(now);
    remove_if_over(started.slot);
}

void quorum_engine::remove_if_over(std::size_t slot) {
    if (slots_[slot].task == nullptr || !slots_[slot].task->is_over()) { return; }
    slots_[slot].task.reset();
    free_.push_back(slot);
}

void quorum_engine::ask(task& task, unsigned node, unsigned tag, const op& operation,
                        instant give_up, instant now) {
    nodes.on_asked(node, now);
    group_.submit(node, make_id(slots_[task.slot].generation, task.slot, tag), operation, give_up);
    task.on_sent();
}

void quorum_engine::join(instant now) {
    task_host& host = *this;
    for (unsigned node = 0; node < nodes.size(); ++node) {
        if (auto request = nodes.next_join(node, now)) {
            start(std::make_unique<join_task>(host, node, *request), now);
        }
    }
}

void quorum_engine::complete(task& task, answer&& answer) {
    assert(task.is_open());
    task.mark_completed();
    --open_tasks_;
    if (task.is_cancelled()) { return; }
    answer.id = task.id();
    sink_->answered(std::move(answer));
}

void quorum_engine::abort_acquires(const ticket& ticket, instant now) {
    for (std::size_t at = 0; at < slots_.size(); ++at) {
        auto* const each = slots_[at].task.get();
        const auto* const acquired = each == nullptr ? nullptr : each->acquires();
        if (acquired == nullptr || acquired->owner != ticket.owner) { continue; }
        each->on_cancel(now);
        remove_if_over(at);
    }
}

void quorum_engine::cancel(op_id id) {
    const auto now = clock();
    for (std::size_t at = 0; at < slots_.size(); ++at) {
        auto* const each = slots_[at].task.get();
        if (each == nullptr || !each->is_open() || each->id() != id) { continue; }
        each->mark_cancelled();
        if (each->acquires() != nullptr) {
            each->on_cancel(now);
        } else {
            complete(*each, {});
        }
        remove_if_over(at);
        break;
    }
    handle_events(now);
}

} // namespace holdfast::engine::quorum
