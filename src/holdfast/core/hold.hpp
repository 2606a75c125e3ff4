#pragma once
// One hold of a lock: runs its lease machine; any thread may query it.

#include "holdfast/core/loss_signal.hpp"
#include "holdfast/core/unfinished_list.hpp"
#include "holdfast/drive/participant.hpp"
#include "holdfast/drive/sleeper.hpp"
#include "holdfast/engine/ops.hpp"
#include "holdfast/machine/lease_machine.hpp"

#include <holdfast/lease.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::core {

class client_core;
class hold_set;

/// Owned by the public lease, and by the driver while requests or timers of it are pending.
class hold final : public drive::participant {
public:
    /// Allocated before the grant is processed, so that a grant never fails for lack of memory.
    hold(client_core& core, holdfast::mode mode) noexcept;

    // From any thread, without a lock.
    [[nodiscard]] bool valid() const noexcept;
    [[nodiscard]] base::duration remaining() const noexcept;
    /// The loss that was reported. It may follow the deadline by some milliseconds.
    [[nodiscard]] std::optional<loss> why_lost() const noexcept;
    /// The same, and from the deadline on never empty, unless it was released.
    [[nodiscard]] std::optional<loss> why_invalid() const noexcept;
    [[nodiscard]] std::uint64_t token() const noexcept { return token_; }
    [[nodiscard]] holdfast::mode mode() const noexcept {
        return mode_.load(std::memory_order_acquire);
    }
    [[nodiscard]] const engine::ticket& ticket() const noexcept { return ticket_; }
    [[nodiscard]] base::milliseconds margin() const noexcept { return margin_; }
    [[nodiscard]] bool inherited() const noexcept; ///< from before a fork()

    /// A caller that waits for a reply, and its result.
    struct waiting_caller {
        drive::sleeper sleeper;
        base::milliseconds lease{0};
        base::instant began{};             ///< extend: when it was requested last
        base::instant until = base::never; ///< then the caller returns without a reply
        std::stop_token stop;              ///< extend: the same when a stop is requested
        std::error_code failure;
        std::string detail;
        bool was_lost = false;
    };

    // During a turn of the driver.
    void begin(engine::ticket&& ticket, std::uint64_t token, const machine::lease_terms& terms,
               const machine::lease_machine::beginning& began, base::instant now) noexcept;
    /// Throws std::system_error if the system refuses a thread for the callbacks.
    [[nodiscard]] std::stop_token lost();
    void release(waiting_caller& caller, base::instant give_up, base::instant now);
    /// Retries until it has a reply or the lease has ended; a failure goes to the observer. A
    /// `caller` waits until `caller->until`; null: no caller waits.
    void release_in_background(waiting_caller* caller, bool reports_loss, base::instant now);
    /// The caller waits for a quarter of the lease, and not after `caller.until`.
    void extend(waiting_caller& caller, base::instant now);
    /// Ends the waits of those extend() callers whose stop is requested.
    void stop_extends() noexcept;
    void abandon(base::instant now);
    /// The engine has made it a reader's hold.
    void become_reader() noexcept { mode_.store(mode::shared, std::memory_order_release); }
    /// The set that it belongs to; told of its loss.
    void join(const std::shared_ptr<hold_set>& set) noexcept { set_ = set; }
    void forget(base::instant now);

    void on_timer(base::instant now) override;
    void on_answer(drive::purpose purpose, const engine::answer& answer, base::instant sent,
                   base::instant now) override;
    void on_beat(const engine::beat_answer& answer, base::instant sent, base::milliseconds lease,
                 base::instant now) override;
    void on_notice(const engine::notice& notice, base::instant now) override;
    void on_shutdown() override;
    void on_hurry(base::instant now) override;
    [[nodiscard]] bool is_unfinished() const override { return machine_.must_resend_release(); }

private:
    void feed(const machine::lease_input& input, base::instant now) noexcept;
    void apply(const machine::lease_machine::actions& actions, base::instant now) noexcept;
    void publish_deadline() noexcept;
    void end_count(base::instant now) noexcept;
    void report_loss(base::instant now) noexcept;
    [[nodiscard]] std::string describe_loss(loss reason) const;
    void retry(machine::lease_event event, base::instant now) noexcept;
    void begin_release(base::instant give_up, base::instant now) noexcept;
    void complete_extends(base::instant sent, base::milliseconds lease, bool succeeded,
                          base::instant now) noexcept;
    void time_out_extends(base::instant now) noexcept;
    [[nodiscard]] base::instant next_caller_timeout() const noexcept;
    void complete_release() noexcept;
    void report_release() noexcept;
    void report_release_failed(const char* fallback) noexcept;

    client_core& core_;
    engine::ticket ticket_;
    std::uint64_t token_ = 0;
    std::uint64_t generation_; ///< of the process that it belongs to
    machine::lease_machine machine_;
    base::milliseconds margin_{0};
    base::milliseconds lease_{0};
    base::instant granted_at_{}; ///< when the grant arrived here
    /// A background release without a reply is reported as failed then.
    base::instant report_release_by_ = base::never;
    loss_signal loss_signal_;
    std::weak_ptr<hold_set> set_;
    waiting_caller* release_caller_ = nullptr;
    unfinished_list::entry unfinished_entry_{*this, ticket_.name};
    std::vector<waiting_caller*> extend_callers_;
    std::error_code last_error_;
    std::string last_detail_;
    std::uint64_t renewals_ = 0;                     ///< sent so far: a renewal's order
    std::atomic<base::instant::rep> valid_until_{0}; ///< valid() compares it with the clock
    std::atomic<int> why_lost_{-1};
    std::atomic<loss> loss_at_deadline_{loss::expired};
    std::atomic<holdfast::mode> mode_; ///< a writer may become a reader
    bool forgotten_ = false;
    bool counts_as_hold_ = false;      ///< in the metrics
    bool release_is_counted_ = false;  ///< likewise
    bool release_handed_off_ = false;  ///< its release granted the lock to a waiter
    bool granted_by_hand_off_ = false; ///< granted by a hand-off, so others may be waiting
    bool reports_to_observer_ = false; ///< released in the background, and not reported yet
    bool reports_loss_ = false;
    bool was_broken_ = false;         ///< a notice said so
    bool renewal_unanswered_ = false; ///< the last renewal that was sent
};

/// Passes a requested stop to the callers of extend(), through driver::cancel.
class extend_cancellation final : public drive::participant {
public:
    explicit extend_cancellation(hold& hold) : hold_{hold.shared_from_this(), &hold} {}

    void on_cancel(base::instant /*now*/) override { hold_->stop_extends(); }
    void on_timer(base::instant /*now*/) override {}
    void on_answer(drive::purpose /*purpose*/, const engine::answer& /*answer*/,
                   base::instant /*sent*/, base::instant /*now*/) override {}

private:
    std::shared_ptr<hold> hold_;
};

/// A sentence for people.
[[nodiscard]] const char* describe(loss reason) noexcept;

} // namespace holdfast::core
