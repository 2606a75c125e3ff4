#pragma once
// One lease that this client has: runs its machine, and answers for it from any thread.

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

/// Owned by the public lease, and by the driver for as long as there is something to do for it.
class hold final : public drive::participant {
public:
    /// Before anything is granted, so that a grant never meets a lack of memory.
    hold(client_core& core, mode mode) noexcept;

    // From any thread, without a lock.
    [[nodiscard]] bool valid() const noexcept;
    [[nodiscard]] base::duration remaining() const noexcept;
    [[nodiscard]] std::optional<loss> why_lost() const noexcept;
    [[nodiscard]] std::uint64_t token() const noexcept { return token_; }
    [[nodiscard]] mode how() const noexcept { return mode_; }
    [[nodiscard]] const engine::ticket& who() const noexcept { return ticket_; }
    [[nodiscard]] base::milliseconds margin() const noexcept { return margin_; }
    [[nodiscard]] bool inherited() const noexcept; ///< from before a fork()

    /// How a caller that waits for an answer hears of it.
    struct waiting {
        drive::sleeper sleep;
        base::milliseconds lease{0};
        base::instant began{};             ///< extend: when it was asked for last
        base::instant until = base::never; ///< then it is told without an answer
        std::error_code failure;
        std::string detail;
        bool was_lost = false;
    };

    // During a turn of the driver's.
    void begin(engine::ticket&& ticket, std::uint64_t token, const machine::lease_terms& terms,
               const machine::lease_machine::beginning& began, base::instant now) noexcept;
    /// Throws std::system_error if the system refuses the thread that would tell it.
    [[nodiscard]] std::stop_token lost();
    void release(waiting& caller, base::instant give_up, base::instant now);
    /// Goes on until it is answered or the lease has ended; the observer is told if it fails. A
    /// `caller` waits for it until `caller->until`; null: nobody does.
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
    base::instant since_{};                       ///< when this side heard of it
    base::instant tell_release_by_ = base::never; ///< if it has no answer then
    std::shared_ptr<loss_signal> signal_;         ///< null: nobody has asked for it
    waiting* releaser_ = nullptr;
    unfinished::entry unreleased_{*this, ticket_.name};
    std::vector<waiting*> extenders_;
    std::error_code last_error_;
    std::string last_detail_;
    std::uint64_t renewals_ = 0;                     ///< sent so far: a renewal's order
    std::atomic<base::instant::rep> valid_until_{0}; ///< what valid() compares with the clock
    std::atomic<int> why_lost_{-1};
    mode mode_;
    bool forgotten_ = false;
    bool handed_ = false;  ///< by who had it before, so others may wait, too
    bool unheard_ = false; ///< it is being released, and the observer is to be told of a failure
    bool tells_loss_ = false;
};

/// A sentence for people.
[[nodiscard]] const char* describe(loss why) noexcept;

} // namespace holdfast::core
