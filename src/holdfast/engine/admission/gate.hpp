#pragma once
// The admission rule: who gets a name, who waits, and what becomes of it. One rule for all engines
// that keep their own state, in all modes: exclusive, shared and permits.

#include "holdfast/engine/admission/queue.hpp"
#include "holdfast/engine/admission/record.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"

#include <optional>
#include <vector>

namespace holdfast::engine::admission {

/// Makes room for one more, so that adding it does not throw.
template <typename Item>
void make_room(std::vector<Item>& in) {
    if (in.size() == in.capacity()) { in.reserve(in.size() + in.size() / 2 + 1); }
}

/// A notice for one client.
struct push {
    base::client_id to;
    holdfast::engine::notice notice;
};

/// Judges one operation on one name. Make one per operation (it costs nothing), inside the lock or
/// transaction that guards record and queue:
///
///     std::vector<push> pushes;
///     gate door{record, queue, at, pushes};
///     answer said = door.acquire(op, {host, pid});
///     if (door.changed()) { store(record); }
///     // commit, and only then deliver the pushes and the answer
///
/// Every operation first settles: what has expired goes, and whoever is first and fits is granted.
///
/// | a hold is | until                              | then                               |
/// |-----------|------------------------------------|------------------------------------|
/// | held      | released, before rest_until        | resting                            |
/// | held      | released, withdrawn or broken      | gone                               |
/// | held      | deadline, or its client's death    | resting if before rest_until, gone |
/// | resting   | rest_until, or broken              | gone                               |
///
/// Thread safety: none. Throws only std::bad_alloc and what the queue throws; then record and queue
/// are as after some of the steps of the operation, none of them half done, and the operation can
/// be asked for again.
class gate {
public:
    gate(record& state, waiter_queue& queue, const moment& at, std::vector<push>& pushes) noexcept
        : state_{state}, queue_{queue}, at_{at}, pushes_{pushes} {}

    /// granted, queued, busy or failed.
    [[nodiscard]] answer acquire(const acquire_op& operation, const place& from);
    /// renewed or lost (failed if the lease is out of range); a waiter: queued, granted or lost.
    [[nodiscard]] beat_answer beat(const beat_op::item& item);
    /// released, handed_off or not_held.
    [[nodiscard]] op_status release(const base::owner_id& owner);
    /// released or not_held.
    [[nodiscard]] op_status withdraw(const base::owner_id& owner);
    /// released or not_held.
    [[nodiscard]] op_status break_lock(const break_op& operation);
    [[nodiscard]] lock_info inspect(const std::string& name);
    /// Only settles, and drops every dead waiter: for housekeeping.
    void tidy();

    /// The record is not what it was and must be stored. (The queue stores itself.)
    [[nodiscard]] bool changed() const noexcept { return changed_; }

private:
    using place_of_hold = std::vector<hold>::iterator;

    void settle(const base::owner_id* asker);
    void drop_ended_holds();
    void drop_dead_waiters();
    unsigned grant_heads(const base::owner_id* asker);
    void hand_off(waiter&& to, const base::owner_id* asker);

    [[nodiscard]] place_of_hold find(const base::owner_id& owner) noexcept;
    [[nodiscard]] bool fits(mode mode, unsigned permits) const noexcept;
    [[nodiscard]] std::uint64_t next_token() const noexcept;
    [[nodiscard]] std::uint64_t give_token(mode mode, std::uint64_t proposed) noexcept;
    [[nodiscard]] bool tokens_used_up() const noexcept;

    [[nodiscard]] std::optional<answer> wrong_use(const acquire_op& operation) const;
    [[nodiscard]] std::optional<answer> wrong_proposal(const acquire_op& request) const;
    [[nodiscard]] answer grant(const acquire_op& operation, const place& from);
    [[nodiscard]] answer grant_again(hold& held, const acquire_op& request) noexcept;
    [[nodiscard]] answer enqueue(const acquire_op& operation, const place& from);
    [[nodiscard]] base::duration check_in(unsigned ahead) const noexcept;
    [[nodiscard]] bool released_last(const base::owner_id& owner) const noexcept;
    void remember(const base::owner_id& owner, op_status status) noexcept;
    void keep_past(base::instant end) noexcept;
    void keep_past_duplicates(const acquire_op& request) noexcept;

    record& state_;
    waiter_queue& queue_;
    const moment& at_;
    std::vector<push>& pushes_;
    bool changed_ = false;
};

} // namespace holdfast::engine::admission
