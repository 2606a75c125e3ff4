#pragma once
// A client: its engine, its threads, and all that it holds or waits for.

#include "holdfast/base/ids.hpp"
#include "holdfast/core/hold.hpp"
#include "holdfast/core/recursion.hpp"
#include "holdfast/core/request.hpp"
#include "holdfast/core/unfinished.hpp"
#include "holdfast/drive/driver.hpp"
#include "holdfast/drive/notifier.hpp"
#include "holdfast/engine/factory.hpp"

#include <holdfast/detail/patience.hpp>
#include <holdfast/observer.hpp>
#include <holdfast/options.hpp>

#include <atomic>
#include <memory>
#include <new>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

namespace holdfast::core {

class wait_task;

/// What became of an acquire: a hold, or an error, or neither if somebody else has it.
struct acquired {
    std::shared_ptr<hold> got;
    std::error_code failure;
    std::string detail;
};

struct released {
    release_answer answer = release_answer::released;
    std::error_code failure;
    std::string detail;
};

struct reported {
    engine::answer answer;
    std::error_code failure;
    std::string detail;
};

/// Thread safety: everything from any thread, except what says that it needs a turn.
/// Owned by clients, locks and leases; its own threads never own it, so that it cannot come to be
/// destroyed on one of them (the notifier's excepted, which can cope).
class client_core {
public:
    /// Throws error(invalid_url), error(unsupported) or error(invalid_option); does no I/O.
    client_core(std::string_view url, client_options options);
    /// For tests and for whoever brings an engine of their own.
    client_core(std::unique_ptr<engine::engine> engine, engine::client_identity identity,
                client_options options);
    client_core(const client_core&) = delete;
    client_core& operator=(const client_core&) = delete;
    ~client_core();

    [[nodiscard]] acquired acquire(const request& request, detail::patience wait,
                                   const std::stop_token& stop);
    [[nodiscard]] released release(hold& hold);
    /// For those who have nobody to tell: unlock() and destructors. Waits for the answer, but not
    /// for long; then the release goes on without the caller. The observer is told of a failure,
    /// and if `tells_loss` of a hold that was lost before.
    void let_go(hold& hold, bool tells_loss);
    [[nodiscard]] std::error_code extend(hold& hold, base::milliseconds lease);
    /// Throws error(limit_reached) if the system refuses the thread that would tell it.
    [[nodiscard]] std::stop_token lost(hold& hold);
    void abandon(hold& hold);
    void forget(hold& hold); ///< renews it no more and tells nobody
    /// Inspect, list, break or diagnose.
    [[nodiscard]] reported ask(const engine::op& operation);

    [[nodiscard]] const base::client_id& id() const noexcept { return identity_.client; }
    [[nodiscard]] engine::capabilities caps(primitive kind,
                                            const engine::lock_format& format) const;
    [[nodiscard]] bool inherited() const noexcept; ///< from before a fork(): must not be used
    [[nodiscard]] core::recursion& recursion() noexcept { return recursion_; }

    // For participants, during a turn.
    [[nodiscard]] drive::driver& drive() noexcept { return *driver_; }
    [[nodiscard]] drive::notifier& notify() noexcept { return *notifier_; }
    [[nodiscard]] base::instant now() const noexcept { return identity_.time->now(); }
    /// The patience with an engine that does not answer; of one attempt if there is to be but one.
    [[nodiscard]] base::milliseconds connect_wait() const;
    /// The same for what no caller waits for.
    [[nodiscard]] base::milliseconds background_wait() const;
    [[nodiscard]] bool one_attempt() const noexcept { return connect_wait_.count() == 0; }
    [[nodiscard]] core::unfinished& unfinished() noexcept { return unfinished_; }
    void tell(event::kind type, const hold& about, std::error_code failure = {},
              std::string_view detail = {}) noexcept;
    /// `make` gives the event. It is dropped if there is no memory for it.
    template <typename Make>
    void tell(Make make) noexcept {
        if (!notifier_->watched()) { return; }
        try {
            notifier_->tell(make());
        } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): dropped
        }
    }

private:
    void need_threads(); // during a turn
    void await(const std::shared_ptr<wait_task>& task, const std::stop_token& stop);

    engine::client_identity identity_;
    base::milliseconds connect_wait_;
    bool pipeline_release_;
    bool has_threads_ = false;
    std::uint64_t generation_;
    std::atomic<std::uint64_t> last_number_{0};
    core::recursion recursion_;
    core::unfinished unfinished_;
    std::unique_ptr<drive::notifier> notifier_; // outlives the driver, which posts to it
    std::unique_ptr<drive::driver> driver_;
};

} // namespace holdfast::core
