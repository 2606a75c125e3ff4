#include "holdfast/engine/memory/store.hpp"

#include "holdfast/engine/admission/request.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::engine::memory {

namespace {

/// Names that one operation looks at for whether they can be forgotten: each makes one name at
/// most, so they do not pile up, and none takes long.
constexpr int swept_at_once = 256;

/// Names that one page of a list looks at, and the longest page.
constexpr unsigned most_listed = 1000;

admission::moment read(const base::time_source& time) {
    return {time.now(), time.wall_us(), nullptr};
}

} // namespace

store::entry* store::find(std::string_view name) {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : &found->second;
}

store::entry& store::find_or_make(const std::string& name, const admission::moment& at,
                                  pushes& out) {
    sweep(at, out);
    if (entry* const known = find(name)) { return *known; }
    const auto made = names_.try_emplace(name).first;
    made->second.state.floor = mark_;
    try {
        order_.emplace(made->first, &made->second);
        looks_.push({admission::first_look(at.now), &made->first});
    } catch (...) {
        order_.erase(made->first);
        names_.erase(made);
        throw;
    }
    return made->second;
}

/// Looks at the names whose time has come, some of them.
void store::sweep(const admission::moment& at, pushes& out) {
    for (int i = 0; i < swept_at_once && !looks_.empty() && looks_.top().due <= at.now; ++i) {
        const std::string* const name = looks_.top().name;
        const auto found = names_.find(*name);
        auto& [state, queue] = found->second;
        admission::gate{state, queue, at, out}.tidy();
        looks_.pop();
        if (admission::forgettable(state, at.now, at.wall_us)) {
            forget(found);
        } else {
            // Cannot fail: it has just made room.
            looks_.push({admission::look_again(state, at.now, at.wall_us), name});
        }
    }
}

void store::forget(const names::iterator& idle) {
    mark_ = std::max(mark_, idle->second.state.high_water);
    order_.erase(idle->first);
    names_.erase(idle);
}

answer store::acquire(const acquire_op& operation, const admission::place& from,
                      const base::time_source& time, pushes& out) {
    if (auto wrong = admission::wrong_request(operation)) { return std::move(*wrong); }
    const std::lock_guard hold{guard_};
    const auto at = read(time);
    entry& on = find_or_make(operation.ticket.name, at, out);
    return admission::gate{on.state, on.queue, at, out}.acquire(operation, from);
}

answer store::beat(const beat_op& operation, const base::time_source& time, pushes& out) {
    answer answer;
    answer.status = op_status::renewed;
    answer.beats.reserve(operation.items.size());
    const std::lock_guard hold{guard_};
    const auto at = read(time);
    for (const auto& item : operation.items) {
        if (entry* const on = find(item.ticket.name)) {
            answer.beats.push_back(admission::gate{on->state, on->queue, at, out}.beat(item));
        } else {
            answer.beats.push_back({item.ticket, op_status::lost, 0, 0, base::duration{0}});
        }
    }
    sweep(at, out);
    return answer;
}

op_status store::release(const ticket& ticket, const base::time_source& time, pushes& out) {
    const std::lock_guard hold{guard_};
    entry* const on = find(ticket.name);
    if (on == nullptr) { return op_status::not_held; }
    const auto at = read(time);
    return admission::gate{on->state, on->queue, at, out}.release(ticket.owner);
}

op_status store::withdraw(const ticket& ticket, const base::time_source& time, pushes& out) {
    const std::lock_guard hold{guard_};
    entry* const on = find(ticket.name);
    if (on == nullptr) { return op_status::not_held; }
    const auto at = read(time);
    return admission::gate{on->state, on->queue, at, out}.withdraw(ticket.owner);
}

op_status store::break_lock(const break_op& operation, const base::time_source& time, pushes& out) {
    const std::lock_guard hold{guard_};
    entry* const on = find(operation.name);
    if (on == nullptr) { return op_status::not_held; }
    const auto at = read(time);
    return admission::gate{on->state, on->queue, at, out}.break_lock(operation);
}

lock_info store::inspect(const std::string& name, const base::time_source& time, pushes& out) {
    const std::lock_guard hold{guard_};
    entry* const on = find(name);
    if (on == nullptr) {
        lock_info unused;
        unused.name = name;
        return unused;
    }
    const auto at = read(time);
    return admission::gate{on->state, on->queue, at, out}.inspect(name);
}

report store::list(const list_op& operation, const base::time_source& time, pushes& out) {
    report page;
    const std::lock_guard hold{guard_};
    const auto at = read(time);
    const auto wanted = std::clamp(operation.count, 1U, most_listed);
    const std::string_view prefix = operation.prefix;
    auto next = order_.lower_bound(std::max(prefix, std::string_view{operation.cursor}));
    for (unsigned seen = 0; next != order_.end() && next->first.starts_with(prefix); ++next) {
        if (seen++ == most_listed || page.locks.size() == wanted) {
            page.cursor = next->first;
            break;
        }
        entry& item = *next->second;
        if (item.state.idle()) { continue; }
        admission::gate door{item.state, item.queue, at, out};
        door.tidy();
        if (!item.state.idle()) { page.locks.push_back(door.inspect(std::string{next->first})); }
    }
    return page;
}

std::size_t store::size() const {
    const std::lock_guard hold{guard_};
    return names_.size();
}

void store::join(const base::client_id& client, std::shared_ptr<mailbox> inbox) {
    const std::lock_guard hold{clients_guard_};
    clients_[client] = std::move(inbox);
}

void store::leave(const base::client_id& client) {
    const std::lock_guard hold{clients_guard_};
    clients_.erase(client);
}

void store::deliver(const admission::push& push) {
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
