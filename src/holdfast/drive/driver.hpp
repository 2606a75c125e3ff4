#pragma once
// Runs the machines: hands them answers, notices and time, and their wishes to the engine.

#include "holdfast/base/clock.hpp"
#include "holdfast/drive/in_flight.hpp"
#include "holdfast/drive/listeners.hpp"
#include "holdfast/drive/participant.hpp"
#include "holdfast/drive/sleeper.hpp"
#include "holdfast/drive/spinner.hpp"
#include "holdfast/drive/timer_heap.hpp"
#include "holdfast/drive/wake_up.hpp"
#include "holdfast/engine/engine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

namespace holdfast::drive {

/// Who drives the engine: a caller that blocks leads poll() itself, other blocked callers follow
/// and are woken by it; without one, the keeper, a thread that is started before the first lock is
/// asked for. Only the leader touches the engine's descriptors. A caller whose answer comes at once
/// never gets there.
///
///   the keeper            while                         until
///   polls                 nobody leads                  a caller leads when it wakes up
///   rests                 a caller leads, or has        nobody has led for `quiet`; or nobody
///                         led a moment ago              leads and a timer is due, or a renewal or
///                                                       heartbeat has no answer yet
///
/// Thread safety: members other than `cancel` are called during a turn.
class driver final : private engine::sink {
public:
    driver(std::unique_ptr<engine::engine> engine, const base::time_source& time);
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;
    ~driver();

    /// The driver's lock, held by one thread at a time; what was set in motion meanwhile is settled
    /// before it is given up.
    class turn {
    public:
        explicit turn(driver& driver) : driver_{driver}, lock_{driver.mutex_} {
            driver.look_at_clock();
        }
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        ~turn() {
            if (lock_.owns_lock()) { driver_.end_turn(lock_); }
        }
        /// The clock as the driver sees it: what is sent during this turn is sent not before.
        [[nodiscard]] base::instant now() const noexcept { return driver_.now(); }
        /// Hands out all answers that are there already.
        void settle() { driver_.settle(); }
        /// Blocks, driving the engine or following who does, until `me` is ready. The turn may be
        /// over then: what was waited for can be read without it.
        void wait(sleeper& me) { driver_.wait(lock_, me); }

    private:
        driver& driver_;
        std::unique_lock<std::mutex> lock_;
    };

    [[nodiscard]] engine::capabilities caps(primitive kind,
                                            const engine::lock_format& format) const {
        return engine_->caps_in(kind, format);
    }

    /// `make` gives the operation. If there is no memory for it or for its answer, the participant
    /// is answered as if the engine could not be reached.
    template <typename Make>
    void send(participant& participant, purpose why, Make make, base::instant give_up) noexcept {
        try {
            submit(participant, why, make(), give_up);
        } catch (...) { not_sent(participant, why); }
    }
    /// `make` gives the item, which goes out with all others of this turn; `lease` is its lease.
    /// After `useful_until` an answer would be of no use. If there is no memory for it, the
    /// participant is answered `unknown`.
    template <typename Make>
    void beat(participant& participant, base::milliseconds lease, Make make,
              base::instant useful_until) noexcept {
        try {
            beats_.push_back({participant.shared_from_this(), make(), useful_until});
        } catch (...) { beat_not_sent(participant, lease); }
    }
    void wake_at(participant& participant, base::instant when) noexcept {
        timers_.set(participant, when);
    }
    /// Notices for this number go to `who`, and keep it alive, until `unlisten`.
    void listen(std::uint64_t number, participant& participant) noexcept {
        listeners_.set(number, participant.shared_from_this());
    }
    void unlisten(std::uint64_t number) noexcept { listeners_.erase(number); }
    void ready(sleeper& sleeper);
    /// Before anything is submitted whose answer may make a hold. Throws std::system_error if the
    /// system refuses a thread.
    void need_keeper();

    /// From any thread, also from inside a stop_callback: takes no lock that is ever held for long.
    void cancel(std::shared_ptr<participant> participant) noexcept;

    /// Waits until no operation is on its way any more, nor is to be sent again, at most for
    /// `most`, and takes leave of all who listen. It is the last that is asked of it.
    void drain(base::duration most);

private:
    struct flight {
        std::shared_ptr<drive::participant> participant;
        purpose why{};
        base::instant sent{};
    };
    struct beat_request {
        std::shared_ptr<drive::participant> participant;
        engine::beat_op::item item;
        base::instant useful_until{};
    };
    struct beat_flight {
        std::vector<beat_request> items;
        base::instant sent{};
    };

    void answered(engine::answer&& answer) override { answers_.push_back(std::move(answer)); }
    void noticed(const engine::notice& notice) override;

    /// When this turn began, or went on after waiting, or answers were handed out: never later than
    /// now, so that what is sent and reckoned from it is on the safe side.
    [[nodiscard]] base::instant now() const noexcept override { return now_; }
    void look_at_clock() noexcept { now_ = time_.now(); }

    // None of these throws: in the middle of it, whoever was not served yet would wait for ever.
    void settle() noexcept;
    void hand_out_all() noexcept;
    void hand_out_answers() noexcept;
    void hand_out_notices() noexcept;
    void send_beats() noexcept;
    void answer_beats(const beat_flight& batch, const engine::answer& answer,
                      base::instant at) noexcept;
    void run_due(base::instant at) noexcept;
    void take_cancels(base::instant at) noexcept;

    void submit(participant& participant, purpose why, const engine::op& operation,
                base::instant give_up);
    void start(engine::op_id id, const engine::op& operation, base::instant give_up) noexcept;
    void make_room_for_an_answer() {
        if (flights_.size() + beat_flights_.size() >= room_for_answers_) {
            make_more_room_for_answers();
        }
    }
    void make_more_room_for_answers();
    [[nodiscard]] std::size_t send_batch(std::vector<beat_request>& all, std::size_t first);
    [[nodiscard]] std::size_t gather_batch(std::span<beat_request> rest) const;

    // When there is no memory, or the engine throws for another reason.
    template <typename Call>
    void guarded(Call call) noexcept {
        try {
            call();
        } catch (const std::exception& problem) { engine_failed(problem.what()); } catch (...) {
            engine_failed("unknown exception");
        }
    }
    void engine_failed(const char* why) noexcept;
    void miss_notices() noexcept;
    void hand_out_lost() noexcept;
    void not_sent(participant& participant, purpose why) noexcept;
    void beat_not_sent(participant& participant, base::milliseconds lease) noexcept;
    void add_unsent(participant& participant) noexcept;
    void hand_out_unsent() noexcept;
    void tell_all_of_reset(base::instant at) noexcept;
    static void tell_answer(participant& participant, purpose why, const engine::answer& answer,
                            base::instant sent, base::instant at) noexcept;
    static void tell_beat(participant& participant, const engine::beat_answer& answer,
                          base::instant sent, base::milliseconds lease, base::instant at) noexcept;
    static void tell_notice(participant& participant, const engine::notice& notice,
                            base::instant at) noexcept;

    void end_turn(std::unique_lock<std::mutex>& lock);
    void wake_the_ready();
    void give_up_lock(std::unique_lock<std::mutex>& lock);
    void wait(std::unique_lock<std::mutex>& lock, sleeper& me);
    void lead(std::unique_lock<std::mutex>& lock, sleeper& me);
    bool follow(std::unique_lock<std::mutex>& lock, sleeper& me);
    void leave_lead();
    void keeper_leads(std::unique_lock<std::mutex>& lock);
    bool choose_leader();
    [[nodiscard]] bool read_directly(std::unique_lock<std::mutex>& lock);
    /// `leader` is null for the keeper.
    void poll_once(std::unique_lock<std::mutex>& lock, const sleeper* leader);
    [[nodiscard]] int collect_pollables(std::vector<pollfd>& into) noexcept;
    void tell_keeper_of_new_descriptors() noexcept;
    void keep();
    [[nodiscard]] bool keeper_may_rest() const;
    void keeper_rests(std::unique_lock<std::mutex>& lock);
    void call_keeper_in_time();
    [[nodiscard]] bool unfinished();
    [[nodiscard]] base::instant next_due() const noexcept {
        return std::min({timers_.next(), engine_due_, reset_due_});
    }

    const base::time_source& time_;
    std::unique_ptr<engine::engine> engine_;
    std::mutex mutex_;
    wake_up wake_;
    timer_heap timers_;
    base::instant engine_due_ = base::never;

    base::instant now_{};
    bool just_looked_ = false; ///< at the clock, and what was read comes after
    engine::op_id last_op_ = 0;
    in_flight<flight> flights_;
    std::unordered_map<engine::op_id, beat_flight> beat_flights_;
    listeners<participant> listeners_;
    std::vector<engine::answer> answers_;     ///< has room for one to every operation
    std::vector<engine::answer> handing_out_; ///< likewise
    std::size_t room_for_answers_ = 0;
    std::vector<engine::notice> notices_;
    std::vector<engine::notice> handing_out_notices_; ///< kept for its memory
    std::vector<beat_request> beats_;
    bool settling_ = false;
    bool submitted_ = false;

    std::shared_ptr<participant> unsent_;   ///< whose operations could not be sent
    engine::op_id lost_up_to_ = 0;          ///< the engine has forgotten these
    base::instant reset_due_ = base::never; ///< notices were missed: when all are told so
    std::array<char, 120> trouble_{};       ///< what the engine threw last

    bool leading_ = false;
    bool keeper_leads_ = false;
    sleeper nobody_;                            ///< for whom the keeper leads
    const sleeper* leader_polls_for_ = nullptr; ///< set while the leader is in poll()

    base::instant leading_since_{};
    base::instant last_led_{};
    base::instant last_polled_{};
    followers followers_;
    sleeper* chosen_ = nullptr; ///< to lead next; it is waking up
    futex_pool sleepers_;       ///< who is called in it is woken when the lock is given up
    spinner spin_;

    std::thread keeper_;
    std::condition_variable keeper_woken_;
    base::instant keeper_rests_until_ = base::instant::min(); ///< if it rests
    bool soon_ = false; ///< something was due soon while nobody led
    bool keeper_polls_ = false;
    std::vector<pollfd> keeper_polled_; ///< what the keeper gives to poll(); likewise the leader
    std::vector<pollfd> leader_polled_;
    std::vector<pollfd> keeper_watches_; ///< the engine's part of what the keeper is polling
    std::vector<pollfd> scratch_;
    bool stopping_ = false;
    bool draining_ = false; ///< the keeper is not to lead any more
    std::condition_variable lead_is_free_;

    std::atomic<bool> cancelled_{false}; ///< there is something in `cancels_`
    std::mutex cancel_mutex_;
    std::shared_ptr<participant> cancels_;
};

} // namespace holdfast::drive
