// memory_store: several names at once.

#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/memory/memory_store.hpp"

#include <array>
#include <utility>

namespace holdfast::engine::memory {

answer memory_store::acquire_set(const acquire_set_op& operation,
                                 const admission::client_process& process,
                                 const base::time_source& time, pushes& out) {
    if (auto rejected = admission::reject_invalid(operation)) { return std::move(*rejected); }
    answer all;
    all.parts.reserve(operation.items.size());
    const std::lock_guard hold{guard_};
    const admission::moment at{time.now(), time.wall_us(), nullptr};
    sweep(at, out); // once, before: it may delete an entry that is in use below
    std::array<entry*, max_set_items> entries; // NOLINT(*-member-init): written below
    for (std::size_t i = 0; i < operation.items.size(); ++i) {
        const acquire_op& item = operation.items[i];
        entry& found = find_or_make_unswept(item.ticket.name, at);
        auto refused = admission::admission_rule{found.state, found.queue, at, out}.refuse(item);
        if (refused) { return std::move(*refused); }
        entries[i] = &found;
    }
    all.status = op_status::granted;
    for (std::size_t i = 0; i < operation.items.size(); ++i) {
        entry& found = *entries[i];
        const auto part =
            admission::admission_rule{found.state, found.queue, at, out}.acquire_unrefused(
                operation.items[i], process);
        all.parts.push_back({part.status, part.token});
    }
    return all;
}

answer memory_store::release_set(const release_set_op& operation, const base::time_source& time,
                                 pushes& out) {
    answer all;
    all.status = op_status::released;
    all.parts.reserve(operation.items.size());
    const std::lock_guard hold{guard_};
    const admission::moment at{time.now(), time.wall_us(), nullptr};
    for (const release_op& item : operation.items) {
        all.parts.push_back({release(item, at, out)});
    }
    return all;
}

} // namespace holdfast::engine::memory
