#include "holdfast/engine/memory/memory_store.hpp"

#include "holdfast/engine/admission/request_validation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::engine::memory {

namespace {

/// How many idle records one operation checks. Each operation adds one name at most, so idle
/// records do not accumulate, and no operation takes long.
constexpr int max_swept_names = 256;

/// How many names one page of a list reads, and the longest page.
constexpr unsigned max_listed = 1000;

admission::moment read_clocks(const base::time_source& time) {
    return {time.now(), time.wall_us(), nullptr};
}

} // namespace

memory_store::entry* memory_store::find(std::string_view name) {
    if (last_ != nullptr && last_->first == name) { return &last_->second; }
    const auto found = names_.find(name);
    if (found == names_.end()) { return nullptr; }
    last_ = &*found;
    return &found->second;
}

memory_store::entry& memory_store::find_or_make(const std::string& name,
                                                const admission::moment& at, pushes& out) {
    sweep(at, out);
    return find_or_make_unswept(name, at);
}

memory_store::entry& memory_store::find_or_make_unswept(const std::string& name,
                                                        const admission::moment& at) {
    if (entry* const known = find(name)) { return *known; }
    const auto made = names_.try_emplace(name).first;
    made->second.state.floor = mark_;
    try {
        order_.emplace(made->first, &made->second);
        idle_checks_.push({admission::first_idle_check(at.now), &made->first});
    } catch (...) {
        order_.erase(made->first);
        names_.erase(made);
        throw;
    }
    return made->second;
}

/// Checks the records that are due, up to `max_swept_names`.
void memory_store::sweep(const admission::moment& at, pushes& out) {
    for (int i = 0;
         i < max_swept_names && !idle_checks_.empty() && idle_checks_.top().due <= at.now; ++i) {
        const std::string* const name = idle_checks_.top().name;
        const auto found = names_.find(*name);
        auto& [state, queue] = found->second;
        admission::admission_rule{state, queue, at, out}.tidy();
        idle_checks_.pop();
        if (admission::is_deletable(state, at.now, at.wall_us)) {
            erase_idle(found);
        } else {
            // Cannot throw: pop() has just made room.
            idle_checks_.push({admission::next_idle_check(state, at.now, at.wall_us), name});
        }
    }
}

void memory_store::erase_idle(const names::iterator& idle) {
    mark_ = std::max(mark_, idle->second.state.high_water);
    order_.erase(idle->first);
    if (last_ == &*idle) { last_ = nullptr; }
    names_.erase(idle);
}

answer memory_store::acquire(const acquire_op& operation, const admission::client_process& process,
                             const base::time_source& time, pushes& out) {
    if (auto rejected = admission::reject_invalid(operation)) { return std::move(*rejected); }
    if (operation.node_id != 0 && operation.node_id != id_) {
        answer other;
        other.status = op_status::not_joined;
        return other;
    }
    const std::lock_guard hold{guard_};
    const auto at = read_clocks(time);
    entry& found = find_or_make(operation.ticket.name, at, out);
    return admission::admission_rule{found.state, found.queue, at, out}.acquire_valid(operation,
                                                                                      process);
}

answer memory_store::beat(const beat_op& operation, const admission::client_process& process,
                          const base::time_source& time, pushes& out) {
    answer answer;
    answer.status = op_status::renewed;
    answer.beats.reserve(operation.items.size());
    const std::lock_guard hold{guard_};
    const auto at = read_clocks(time);
    for (const auto& item : operation.items) {
        entry* found = find(item.ticket.name);
        if (found == nullptr && item.reclaim != nullptr) {
            found = &find_or_make(item.ticket.name, at, out);
        }
        if (found != nullptr) {
            answer.beats.push_back(
                admission::admission_rule{found->state, found->queue, at, out}.beat(item, process));
        } else {
            answer.beats.push_back({item.ticket, op_status::lost, 0, 0, base::duration{0}});
        }
    }
    sweep(at, out);
    return answer;
}

op_status memory_store::release(const release_op& operation, const base::time_source& time,
                                pushes& out) {
    const std::lock_guard hold{guard_};
    return release(operation, read_clocks(time), out);
}

op_status memory_store::release(const release_op& operation, const admission::moment& at,
                                pushes& out) {
    const std::string& name = operation.ticket.name;
    entry* found = find(name);
    if (found == nullptr && operation.token == 0) { return op_status::not_held; }
    if (found == nullptr) { found = &find_or_make(name, at, out); }
    return admission::admission_rule{found->state, found->queue, at, out}.release(operation);
}

answer memory_store::downgrade(const downgrade_op& operation, const base::time_source& time,
                               pushes& out) {
    const std::lock_guard hold{guard_};
    entry* const found = find(operation.ticket.name);
    if (found == nullptr) {
        answer lost;
        lost.status = op_status::lost;
        return lost;
    }
    const auto at = read_clocks(time);
    return admission::admission_rule{found->state, found->queue, at, out}.downgrade(operation);
}

answer memory_store::resize(const resize_op& operation, const base::time_source& time,
                            pushes& out) {
    const std::lock_guard hold{guard_};
    const auto at = read_clocks(time);
    entry& found = find_or_make(operation.ticket.name, at, out);
    return admission::admission_rule{found.state, found.queue, at, out}.resize(operation);
}

op_status memory_store::withdraw(const withdraw_op& operation, const base::time_source& time,
                                 pushes& out) {
    const std::lock_guard hold{guard_};
    entry* const found = find(operation.ticket.name);
    if (found == nullptr) { return op_status::not_held; }
    const auto at = read_clocks(time);
    return admission::admission_rule{found->state, found->queue, at, out}.withdraw(operation);
}

op_status memory_store::break_lock(const break_op& operation, const base::time_source& time,
                                   pushes& out) {
    const std::lock_guard hold{guard_};
    entry* const found = find(operation.name);
    if (found == nullptr) { return op_status::not_held; }
    const auto at = read_clocks(time);
    return admission::admission_rule{found->state, found->queue, at, out}.break_lock(operation);
}

lock_info memory_store::inspect(const std::string& name, const base::time_source& time,
                                pushes& out) {
    const std::lock_guard hold{guard_};
    entry* const found = find(name);
    if (found == nullptr) {
        lock_info unused;
        unused.name = name;
        return unused;
    }
    const auto at = read_clocks(time);
    return admission::admission_rule{found->state, found->queue, at, out}.inspect(name);
}

report memory_store::list(const list_op& operation, const base::time_source& time, pushes& out) {
    report page;
    const std::lock_guard hold{guard_};
    const auto at = read_clocks(time);
    const auto wanted = std::clamp(operation.count, 1U, max_listed);
    const std::string_view prefix = operation.prefix;
    auto next = order_.lower_bound(std::max(prefix, std::string_view{operation.cursor}));
    for (unsigned seen = 0; next != order_.end() && next->first.starts_with(prefix); ++next) {
        if (seen++ == max_listed || page.locks.size() == wanted) {
            page.cursor = next->first;
            break;
        }
        entry& item = *next->second;
        if (item.state.idle()) { continue; }
        admission::admission_rule rule{item.state, item.queue, at, out};
        rule.tidy();
        if (!item.state.idle()) { page.locks.push_back(rule.inspect(std::string{next->first})); }
    }
    return page;
}

answer memory_store::use_cell(const cell_op& operation, const base::time_source& time,
                              pushes& out) {
    if (auto rejected = admission::reject_invalid(operation)) { return std::move(*rejected); }
    const std::lock_guard hold{guard_};
    const auto at = read_clocks(time);
    sweep_cells(at);
    auto& cell = cells_[operation.ticket.name];
    return admission::cell_rule{cell, at, out}.apply(operation);
}

/// Each operation adds one cell at most and checks two, in the order of their names, so cells that
/// have expired do not accumulate.
void memory_store::sweep_cells(const admission::moment& at) {
    pushes none;
    for (int checked = 0; checked < 2 && !cells_.empty(); ++checked) {
        auto next = cells_.upper_bound(last_swept_cell_);
        if (next == cells_.end()) { next = cells_.begin(); }
        last_swept_cell_ = next->first;
        if (admission::cell_rule{next->second, at, none}.is_deletable()) { cells_.erase(next); }
    }
}

std::size_t memory_store::size() const {
    const std::lock_guard hold{guard_};
    return names_.size();
}

void memory_store::join(const base::client_id& client, std::shared_ptr<mailbox> inbox) {
    const std::lock_guard hold{clients_guard_};
    clients_[client] = std::move(inbox);
}

void memory_store::leave(const base::client_id& client) {
    const std::lock_guard hold{clients_guard_};
    clients_.erase(client);
}

void memory_store::deliver(const admission::push& push) {
    std::shared_ptr<mailbox> inbox;
    {
        const std::lock_guard hold{clients_guard_};
        const auto found = clients_.find(push.to);
        if (found == clients_.end()) { return; }
        inbox = found->second;
    }
    inbox->put(push.notice);
}

} // namespace holdfast::engine::memory
