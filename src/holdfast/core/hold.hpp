#pragma once
// One hold of a lock: runs its lease machine; any thread may query it.

#include "holdfast/core/unfinished.hpp"
#include "holdfast/drive/participant.hpp"
#include "holdfast/drive/sleeper.hpp"
#include "holdfast/engine/ops.hpp"
#include "holdfast/machine/lease_machine.hpp"

#include <holdfast/lease.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace holdfast::core {

class client_core;

/// Owned by the public lease, and by the driver while requests or timers of it are pending.
class hold final : public drive::participant {
public:
    /// Made before the grant is processed, so that a grant never fails for want of memory.
    hold(client_core& core, holdfast::mode mode) noexcept;

    // From any thread, without a lock.
    [[nodiscard]] bool valid() const noexcept;
    [[nodiscard]] base::duration remaining() const noexcept;
    [[nodiscard]] std::optional<loss> why_lost() const noexcept;
    [[nodiscard]] std::uint64_t token() const noexcept { return token_; }
    [[nodiscard]] holdfast::mode mode() const noexcept { return mode_; }
    [[nodiscard]] const engine::ticket& ticket() const noexcept { return ticket_; }
    [[nodiscard]] base::milliseconds margin() const noexcept { return margin_; }
    [[nodiscard]] bool inherited() const noexcept; ///< from before a fork()

    /// A caller that waits for a reply, and its result.
    struct waiting {
        drive::sleeper sleep;
        base::milliseconds lease{0};
        base::instant began{};             ///< extend: when it was requested last
        base::instant until = base::never; ///< then the caller returns without a reply
        std::error_code failure;
        std::string detail;
        bool was_lost = false;
    };

    // During a turn of the driver.
    void begin(engine::ticket&& ticket, std::uint64_t token, const machine::lease_terms& terms,
               const machine::lease_machine::beginning& began, base::instant now) noexcept;
    /// Throws std::system_error if the system refuses a thread for the callbacks.
    [[nodiscard]] std::stop_token lost();
    void release(waiting& caller, base::instant give_up, base::instant now);
    /// Retries until it has a reply or the lease has ended; a failure goes to the observer. A
    /// `caller` waits until `caller->until`; null: no caller waits.
    void let_go(waiting* caller, bool tells_loss, base::instant now);
    void extend(waiting& caller, base::instant now);
    void abandon(base::instant now);
    void forget();

    void on_timer(base::instant now) override;
    void on_answer(drive::purpose purpose, const engine::answer& answer, base::instant sent,
                   base::instant now) override;
    void on_beat(const engine::beat_answer& answer, base::instant sent, base::milliseconds lease,
                 base::instant now) override;
    void on_notice(const engine::notice& notice, base::instant now) override;
    void on_shutdown() override;
    void on_hurry(base::instant now) override;
    [[nodiscard]] bool is_unfinished() const override { return machine_.owes_release(); }

private:
    class loss_signal;

    void feed(const machine::lease_input& input, base::instant now) noexcept;
    void apply(const machine::lease_machine::actions& todo, base::instant now) noexcept;
    void publish() noexcept;
    void tell_lost() noexcept;
    void retry(machine::lease_event why, base::instant now) noexcept;
    void begin_release(base::instant give_up, base::instant now) noexcept;
    void answer_extends(base::instant sent, base::milliseconds lease, bool good,
                        base::instant now) noexcept;
    void end_extends(base::instant now) noexcept;
    [[nodiscard]] base::instant callers_end() const noexcept;
    void answer_release() noexcept;
    void tell_release() noexcept;
    void tell_release_failed(const char* otherwise) noexcept;

    client_core& core_;
    engine::ticket ticket_;
    std::uint64_t token_ = 0;
    std::uint64_t generation_; ///< of the process that it belongs to
    machine::lease_machine machine_;
    base::milliseconds margin_{0};
    base::milliseconds lease_{0};
    base::instant since_{};                       ///< when the grant arrived here
    base::instant tell_release_by_ = base::never; ///< then a release without a reply has failed
    std::shared_ptr<loss_signal> signal_;         ///< null until lost() is called
    waiting* releaser_ = nullptr;
    unfinished::entry unreleased_{*this, ticket_.name};
    std::vector<waiting*> extenders_;
    std::error_code last_error_;
    std::string last_detail_;
    std::uint64_t renewals_ = 0;                     ///< sent so far: a renewal's order
    std::atomic<base::instant::rep> valid_until_{0}; ///< valid() compares it with the clock
    std::atomic<int> why_lost_{-1};
    holdfast::mode mode_;
    bool forgotten_ = false;
    bool handed_ = false;  ///< by a hand-off, so others may be waiting
    bool unheard_ = false; ///< released by let_go(): a failure goes to the observer
    bool tells_loss_ = false;
};

/// A sentence for people.
[[nodiscard]] const char* describe(loss why) noexcept;

} // namespace holdfast::core
