#pragma once
// A client: its engine, its threads, its holds and its waits.

#include "holdfast/base/ids.hpp"
#include "holdfast/core/hold.hpp"
#include "holdfast/core/recursion.hpp"
#include "holdfast/core/request.hpp"
#include "holdfast/core/unfinished.hpp"
#include "holdfast/drive/driver.hpp"
#include "holdfast/drive/notifier.hpp"
#include "holdfast/engine/factory.hpp"

#include <holdfast/detail/wait_limit.hpp>
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

/// The result of an acquire: a hold, or an error, or neither if someone else holds the lock.
struct acquired {
    std::shared_ptr<core::hold> hold;
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

/// Thread safety: all members from any thread, except those that need a turn.
/// Clients, locks and leases own it. Its own threads do not, so it is never destroyed on one of
/// them; only the notifier's threads may do that, and can.
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

    [[nodiscard]] acquired acquire(const request& request, detail::wait_limit wait,
                                   const std::stop_token& stop);
    [[nodiscard]] released release(hold& hold);
    /// The release of unlock() and destructors, which report no error. Waits for the reply, but not
    /// for long; then the release continues without the caller. Failures go to the observer, and if
    /// `tells_loss` also that the hold was lost before.
    void let_go(hold& hold, bool tells_loss);
    [[nodiscard]] std::error_code extend(hold& hold, base::milliseconds lease);
    /// Throws error(limit_reached) if the system refuses a thread for the callbacks.
    [[nodiscard]] std::stop_token lost(hold& hold);
    void abandon(hold& hold);
    void forget(hold& hold); ///< stops its renewal, and reports no loss
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
    /// How long a call waits for an engine that does not answer: for one attempt if the client is
    /// to make only one.
    [[nodiscard]] base::milliseconds connect_wait() const;
    /// The same for requests that no caller waits for.
    [[nodiscard]] base::milliseconds background_wait() const;
    [[nodiscard]] bool one_attempt() const noexcept { return connect_wait_.count() == 0; }
    [[nodiscard]] core::unfinished& unfinished() noexcept { return unfinished_; }
    void tell(event::kind type, const hold& about, std::error_code failure = {},
              std::string_view detail = {}) noexcept;
    /// `make` returns the event. The event is dropped if there is no memory for it.
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
