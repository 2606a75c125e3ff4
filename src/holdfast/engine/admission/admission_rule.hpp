#pragma once
// The admission rule: who gets a name and who waits, in all modes: exclusive, shared and permits.
// All engines that keep their own state use it.

#include "holdfast/engine/admission/queue.hpp"
#include "holdfast/engine/admission/record.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"

#include <optional>
#include <vector>

namespace holdfast::engine::admission {

/// Reserves room for one more item, so that adding it does not throw.
template <typename Item>
void make_room(std::vector<Item>& in) {
    if (in.size() == in.capacity()) { in.reserve(in.size() + in.size() / 2 + 1); }
}

/// A notice for one client.
struct push {
    base::client_id to;
    holdfast::engine::notice notice;
};

/// Applies the rule to one operation on one name. Construct one per operation (it costs nothing),
/// inside the lock or transaction that guards record and queue:
///
///     std::vector<push> pushes;
///     admission_rule rule{record, queue, at, pushes};
///     answer answer = rule.acquire(op, {host, pid});
///     if (rule.changed()) { store(record); }
///     // commit, and only then deliver the pushes and the answer
///
/// Every operation first settles: it drops what has expired, and grants the head of the queue as
/// long as it fits.
///
/// | a hold is | until                              | then                               |
/// |-----------|------------------------------------|------------------------------------|
/// | held      | released, before rest_until        | resting                            |
/// | held      | released, withdrawn or broken      | gone                               |
/// | held      | deadline, or its client's death    | resting if before rest_until, gone |
/// | resting   | rest_until, or broken              | gone                               |
///
/// Thread safety: none. Throws only std::bad_alloc and what the queue throws. Then some steps of
/// the operation are done and none is half done; the operation can be repeated.
class admission_rule {
public:
    admission_rule(record& state, waiter_queue& queue, const moment& at,
                   std::vector<push>& pushes) noexcept
        : state_{state}, queue_{queue}, at_{at}, pushes_{pushes} {}

    /// granted, queued, busy or failed.
    [[nodiscard]] answer acquire(const acquire_op& operation, const client_process& process);
    /// REQUIRES: reject_invalid() has let it pass.
    [[nodiscard]] answer acquire_valid(const acquire_op& operation, const client_process& process);
    /// Settles. Empty: `acquire` would grant it now; otherwise its answer.
    [[nodiscard]] std::optional<answer> refuse(const acquire_op& operation);
    /// REQUIRES: `refuse` of this rule, or of one for the same moment, has just returned nothing.
    [[nodiscard]] answer acquire_unrefused(const acquire_op& operation,
                                           const client_process& process);
    /// renewed, reclaimed or lost (failed if the lease is out of range); a waiter: queued, granted
    /// or lost.
    [[nodiscard]] beat_answer beat(const beat_op::item& item, const client_process& process);
    /// renewed or lost; failed: it is no hold of a shared_mutex.
    [[nodiscard]] answer downgrade(const downgrade_op& operation);
    /// reported, busy (too late) or failed (in use as another kind).
    [[nodiscard]] answer resize(const resize_op& operation);
    /// released, handed_off or not_held.
    [[nodiscard]] op_status release(const release_op& operation);
    /// released or not_held.
    [[nodiscard]] op_status withdraw(const withdraw_op& operation);
    /// released or not_held.
    [[nodiscard]] op_status break_lock(const break_op& operation);
    /// Settles, and describes what came of it, which must be stored.
    [[nodiscard]] lock_info inspect(const std::string& name);
    /// For a copy that is not stored: drops what has ended and grants nothing. A waiter that was
    /// granted here would be shown with a token that nobody has.
    [[nodiscard]] lock_info inspect_copy(const std::string& name);
    /// Housekeeping: settles, and drops every dead waiter.
    void tidy();

    /// The record has changed and must be stored. (The queue stores itself.)
    [[nodiscard]] bool changed() const noexcept { return changed_; }

private:
    using hold_iterator = std::vector<hold_record>::iterator;

    [[nodiscard]] lock_info describe(const std::string& name);
    void settle(const base::owner_id* requester);
    void drop_ended_holds();
    void drop_ended_in_use();
    void drop_dead_waiters();
    unsigned grant_waiters(const base::owner_id* requester);
    void hand_off(waiter&& to, const base::owner_id* requester);

    [[nodiscard]] hold_iterator find(const base::owner_id& owner) noexcept;
    [[nodiscard]] bool fits(mode mode, unsigned permits) const noexcept;
    [[nodiscard]] unsigned limit_for(const acquire_op& operation) const noexcept;
    void drop_waiters_above_limit();
    [[nodiscard]] std::uint64_t next_token() const noexcept;
    [[nodiscard]] std::uint64_t issue_token(mode mode, std::uint64_t proposed) noexcept;
    [[nodiscard]] bool tokens_exhausted() const noexcept;

    [[nodiscard]] std::optional<answer> reject_mismatch(const acquire_op& operation) const;
    [[nodiscard]] std::optional<answer> reject_request(const acquire_op& operation) const;
    [[nodiscard]] std::optional<answer> reject_proposal(const acquire_op& request) const;
    [[nodiscard]] bool too_far_ahead(std::uint64_t token) const noexcept;
    [[nodiscard]] std::uint64_t clock() const noexcept;
    [[nodiscard]] answer grant(const acquire_op& operation, const client_process& process);
    [[nodiscard]] answer grant_again(hold_record& held, const acquire_op& request);
    void add_hold(const acquire_op& terms, const client_process& process, base::milliseconds lease);
    [[nodiscard]] bool may_reclaim(const beat_op::item& item) const;
    [[nodiscard]] bool reclaim(const beat_op::item& item, const client_process& process);
    void remember_token(std::uint64_t token) noexcept;
    [[nodiscard]] answer enqueue(const acquire_op& operation, const client_process& process);
    [[nodiscard]] answer listen(const acquire_op& operation);
    bool stop_listening(const base::owner_id& owner) noexcept;
    void notify_listeners();
    [[nodiscard]] bool is_broken(const base::owner_id& owner) const noexcept;
    void remember_broken(const base::owner_id& owner) noexcept;
    [[nodiscard]] base::duration check_in(unsigned ahead) const noexcept;
    [[nodiscard]] bool released_last(const base::owner_id& owner) const noexcept;
    void set_last_release(const base::owner_id& owner, op_status status) noexcept;
    void keep_past(base::instant end) noexcept;
    void keep_past_duplicates(const acquire_op& request) noexcept;

    record& state_;
    waiter_queue& queue_;
    const moment& at_;
    std::vector<push>& pushes_;
    bool changed_ = false;
};

} // namespace holdfast::engine::admission
