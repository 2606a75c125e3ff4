#pragma once
// A client: its engine, its threads, its holds and its waits.

#include "holdfast/base/ids.hpp"
#include "holdfast/core/cell_task.hpp"
#include "holdfast/core/hold.hpp"
#include "holdfast/core/lock_request.hpp"
#include "holdfast/core/recursion.hpp"
#include "holdfast/core/unfinished_list.hpp"
#include "holdfast/drive/client_metrics.hpp"
#include "holdfast/drive/driver.hpp"
#include "holdfast/drive/notifier.hpp"
#include "holdfast/engine/factory.hpp"
#include "holdfast/machine/waiter_machine.hpp"

#include <holdfast/detail/wait_limit.hpp>
#include <holdfast/observer.hpp>
#include <holdfast/options.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace holdfast::core {

class hold_set;
class release_bundle;
class wait_task;

/// A hold, or an error, or neither if someone else holds the lock.
struct acquire_result {
    std::shared_ptr<core::hold> hold;
    std::error_code failure;
    std::string detail;
};

/// The holds of a set in the order of its requests; or an error; or neither.
struct set_result {
    std::vector<std::shared_ptr<core::hold>> holds{};
    std::error_code failure{};
    std::string detail{};
    std::string name{}; ///< with an error: the name that it is about, if it is about one
};

struct release_result {
    release_answer answer = release_answer::released;
    std::error_code failure;
    std::string detail;
};

struct op_result {
    engine::answer answer;
    std::error_code failure;
    std::string detail;
};

/// Clients, locks and leases own it. The keeper's thread does not, so the destructor never runs on
/// it; on one of the notifier's threads it may, and the notifier allows that.
///
/// Thread safety: all members from any thread, except those that need a turn.
class client_core {
public:
    /// Throws error(invalid_url), error(unsupported) or error(invalid_option); does no I/O.
    client_core(std::string_view url, client_options options);
    /// With an engine of the caller's, e.g. of a test.
    client_core(std::unique_ptr<engine::engine> engine, engine::client_identity identity,
                client_options options);
    client_core(const client_core&) = delete;
    client_core& operator=(const client_core&) = delete;
    ~client_core();

    /// `patience` shortens connect_wait.
    [[nodiscard]] acquire_result acquire(const lock_request& request, detail::wait_limit wait,
                                         const std::stop_token& stop,
                                         base::milliseconds patience = base::milliseconds::max());
    /// All or none. REQUIRES: requests are in the order of their names, which differ; exclusive.
    /// In one step where the engine can and all are free; else one after the other, in their order.
    [[nodiscard]] set_result acquire_all(std::span<const lock_request> requests,
                                         detail::wait_limit wait, const std::stop_token& stop);
    /// A new set; one of the holds may be lost already.
    [[nodiscard]] std::shared_ptr<hold_set> make_set(std::vector<std::shared_ptr<hold>>&& holds);
    [[nodiscard]] release_result release(hold& hold);
    [[nodiscard]] release_result release(hold_set& set);
    /// The release of unlock() and destructors for several holds, as one operation where the engine
    /// can. Null holds are skipped.
    void release_in_background(std::span<const std::shared_ptr<hold>> holds,
                               bool reports_loss) noexcept;
    void release_in_background(hold_set& set) noexcept;
    [[nodiscard]] std::stop_token lost(hold_set& set);
    /// The release of unlock() and destructors, which return no error. Waits up to 200 ms for the
    /// reply (with pipeline_release not at all), then the release continues in the background.
    /// Failures go to the observer, and with `reports_loss` also that the hold was lost before.
    void release_in_background(hold& hold, bool reports_loss);
    /// The same for `count` holds, which `hold_at(index)` returns: waits once for all.
    template <typename HoldAt>
    void release_all_in_background(std::size_t count, HoldAt hold_at) {
        if (count == 0 || inherited()) { return; }
        // Without memory nobody waits.
        const std::unique_ptr<hold::waiting_caller[]> callers{
            // NOLINT(*-avoid-c-arrays)
            pipeline_release_ ? nullptr : new (std::nothrow) hold::waiting_caller[count]};
        for (std::size_t at = 0; at < count; ++at) {
            begin_background_release(hold_at(at), callers ? &callers[at] : nullptr);
        }
        for (std::size_t at = 0; callers && at < count; ++at) { await(callers[at].sleeper); }
    }
    /// Waits for the reply: for a quarter of the lease, `at_most`, until a stop is requested.
    [[nodiscard]] std::error_code extend(hold& hold, base::milliseconds lease,
                                         base::duration at_most = base::duration::max(),
                                         const std::stop_token& stop = {});
    /// Turns a writer's hold into a reader's. `lost`: it was lost, and is known as lost by now.
    [[nodiscard]] op_result downgrade(hold& hold);
    /// Sets the limit of a semaphore for all its users.
    [[nodiscard]] op_result resize(const std::string& name, const engine::lock_format& format,
                                   unsigned limit);
    /// How long a call that may wait for `wait` waits for an engine that does not answer.
    [[nodiscard]] base::milliseconds answer_wait(const lock_request& request,
                                                 detail::wait_limit wait) const;
    /// Throws error(limit_reached) if the system refuses a thread for the callbacks.
    [[nodiscard]] std::stop_token lost(hold& hold);
    void abandon(hold& hold);
    void forget(hold& hold); ///< stops its renewal, and reports no loss
    [[nodiscard]] bool withdraw(hold& hold) noexcept;
    /// Runs an operation that belongs to no hold of this client: inspect, list, break, diagnose, or
    /// an operator's renewal or release.
    /// Fails without an answer after connect_wait, or `at_most` if that is shorter, and with
    /// cancelled when a stop is requested: only for what changes nothing.
    [[nodiscard]] op_result execute(const engine::op& operation,
                                    base::duration at_most = base::duration::max(),
                                    const std::stop_token& stop = {});

    /// Reads or changes a cell, and waits for what it becomes.
    [[nodiscard]] cell_result use_cell(cell_request request, const std::stop_token& stop);
    /// An owner that was never used before.
    [[nodiscard]] base::owner_id new_owner() noexcept {
        return {identity_.client, last_number_.fetch_add(1, std::memory_order_relaxed) + 1};
    }

    [[nodiscard]] const base::client_id& id() const noexcept { return identity_.client; }
    [[nodiscard]] engine::capabilities caps(primitive kind,
                                            const engine::lock_format& format) const;
    /// Of the primitive that the hold is of, as far as its mode says.
    [[nodiscard]] engine::capabilities caps(const hold& hold) const;
    /// The client was made before a fork(): the child must not use it.
    [[nodiscard]] bool inherited() const noexcept;
    [[nodiscard]] core::recursion& recursion() noexcept { return recursion_; }
    /// Readable also after the client is gone.
    [[nodiscard]] std::shared_ptr<const drive::client_metrics> metrics() const noexcept {
        return metrics_;
    }

    // For participants, during a turn.
    [[nodiscard]] drive::driver& driver() noexcept { return *driver_; }
    [[nodiscard]] drive::notifier& notifier() noexcept { return *notifier_; }
    [[nodiscard]] base::instant now() const noexcept { return identity_.time->now(); }
    /// How long a call waits for an engine that does not answer. With a single attempt: how long
    /// that may take.
    [[nodiscard]] base::milliseconds connect_wait() const;
    /// The same for requests that no caller waits for.
    [[nodiscard]] base::milliseconds background_wait() const;
    [[nodiscard]] bool single_attempt() const noexcept { return connect_wait_.count() == 0; }
    [[nodiscard]] core::unfinished_list& unfinished() noexcept { return unfinished_; }
    /// Adds a release to the bundle that is being made. False: there is none, or no memory.
    [[nodiscard]] bool bundle_release(hold& hold, bool awaited, bool can_wait,
                                      base::instant give_up) noexcept;
    void report_event(event::kind type, const hold& about, std::error_code failure = {},
                      std::string_view detail = {}) noexcept;
    /// Calls `make` for the event if there is an observer. Drops it if there is no memory.
    template <typename Make>
    void report_event(Make make) noexcept {
        if (!notifier_->has_observer()) { return; }
        try {
            notifier_->report(make());
        } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): dropped
        }
    }

private:
    template <typename Held>
    [[nodiscard]] std::stop_token lost_token(Held& held);
    [[nodiscard]] const engine::capabilities& usual_caps(primitive kind) const noexcept {
        return usual_caps_[static_cast<std::size_t>(kind)];
    }
    void run_engine(std::unique_ptr<engine::engine> engine);
    void ensure_threads(); // during a turn
    template <typename Task, typename Start>
    void run(const std::shared_ptr<Task>& task, Start start, const std::stop_token& stop);
    void begin_background_release(hold& hold, hold::waiting_caller* caller);
    void await(drive::sleeper& sleeper);
    void await(const std::shared_ptr<wait_task>& task, const std::stop_token& stop);
    [[nodiscard]] machine::wait_plan plan_for(const lock_request& request,
                                              const engine::capabilities& caps,
                                              detail::wait_limit wait) const;
    [[nodiscard]] std::shared_ptr<wait_task>
    make_task(const lock_request& request, const machine::wait_plan& plan, engine::queueing queue);
    [[nodiscard]] acquire_result result_of(wait_task& task, const machine::wait_plan& plan);
    void give_back(std::vector<std::shared_ptr<hold>>& holds,
                   std::span<const lock_request> requests) noexcept;
    [[nodiscard]] bool is_one_step(std::span<const lock_request> requests) const;
    [[nodiscard]] std::shared_ptr<release_bundle>
    make_bundle(std::span<const std::shared_ptr<hold>> holds) noexcept;
    [[nodiscard]] set_result acquire_at_once(std::span<const lock_request> requests,
                                             detail::wait_limit wait, const std::stop_token& stop);
    [[nodiscard]] set_result acquire_in_order(std::span<const lock_request> requests,
                                              base::instant give_up, const std::stop_token& stop,
                                              base::milliseconds patience);

    engine::client_identity identity_;
    base::milliseconds connect_wait_;
    bool pipeline_release_;
    bool has_threads_ = false;
    std::uint64_t generation_;
    std::atomic<std::uint64_t> last_number_{0};
    core::recursion recursion_;
    core::unfinished_list unfinished_;
    std::shared_ptr<drive::client_metrics> metrics_;
    release_bundle* bundle_ = nullptr; ///< of this turn; null: holds send their releases themselves
    std::unique_ptr<drive::notifier> notifier_; // outlives the driver, which posts to it
    std::unique_ptr<drive::driver> driver_;
    /// By kind, of locks without a format of their own. They do not change.
    std::array<engine::capabilities, 3> usual_caps_{};
};

} // namespace holdfast::core
