#pragma once
// A client that uses an engine directly, one operation at a time, to resend, delay or drop requests
// as a real client would not. It sends no heartbeats: a client that is not driven looks crashed.

#include "holdfast/engine/factory.hpp"
#include "support/timing.hpp"

#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

/// The parameters of an acquire, except the ticket.
struct request {
    primitive kind = primitive::mutex;
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    unsigned limit = 1;
    milliseconds lease = 30s;
    milliseconds min_hold{0};
    engine::queueing queue = engine::queueing::no;
    base::instant not_after = base::never;
    std::string note = {};
    std::uint64_t proposed_token = 0;
    std::uint64_t node_id = 0;
};

/// Thread safety: none. Every operation is driven until it is answered; one that is not answered
/// in time is answered `unknown` with the detail "no answer".
class seam_client final : private engine::sink {
public:
    explicit seam_client(const std::string& url);
    seam_client(const seam_client&) = delete;
    seam_client& operator=(const seam_client&) = delete;
    ~seam_client();

    [[nodiscard]] const engine::client_identity& identity() const { return identity_; }
    [[nodiscard]] engine::capabilities caps(primitive kind) const { return engine_->caps(kind); }

    /// A ticket that was never used before.
    [[nodiscard]] engine::ticket ticket(std::string name);

    engine::answer ask(const engine::op& operation);
    engine::answer acquire(const engine::ticket& ticket, const request& request = {});
    engine::answer release(const engine::ticket& ticket) { return ask(engine::release_op{ticket}); }
    /// With the token of the hold, in case that the engine has lost it.
    engine::answer release(const engine::ticket& ticket, std::uint64_t token) {
        return ask(engine::release_op{.ticket = ticket, .token = token});
    }
    engine::answer withdraw(const engine::ticket& ticket) {
        return ask(engine::withdraw_op{ticket});
    }
    /// And the ticket may acquire again.
    engine::answer withdraw_for_now(const engine::ticket& ticket) {
        return ask(engine::withdraw_op{.ticket = ticket, .asks_again = true});
    }
    /// Makes the store a node that votes later, unless it is one already.
    engine::answer join(milliseconds max_lease) {
        auto found = ask(engine::join_op{max_lease});
        if (found.report == nullptr || found.report->node_id != 0) { return found; }
        return ask(engine::join_op{max_lease, engine::join_mode::vote_later});
    }
    engine::answer break_lock(const std::string& name, std::uint64_t only_token = 0) {
        return ask(engine::break_op{name, only_token});
    }
    engine::beat_answer renew(const engine::ticket& ticket, milliseconds lease = 30s);
    /// Renews, and reclaims what is lost, for as long as `terms.not_after` has not passed.
    engine::beat_answer reclaim(const engine::ticket& ticket, std::uint64_t token,
                                const request& terms = {});
    engine::beat_answer wait_on(const engine::ticket& ticket); ///< a waiter's heartbeat
    [[nodiscard]] lock_info inspect(const std::string& name);

    /// Sends `count` acquires with new tickets at once. Returns whether each was queued.
    [[nodiscard]] bool queue_up(const std::string& name, int count);

    /// Submits and does not wait.
    engine::op_id start(const engine::op& operation);
    void cancel(engine::op_id id) { engine_->cancel(id); }
    /// As after an exception: started operations get no answer.
    void reset() { engine_->reset(); }
    /// Sends started operations, and reads nothing.
    void send() { next_ = engine_->drive({}, identity_.time->now()); }
    /// Whether the socket had no room for all that was sent.
    [[nodiscard]] bool waits_for_room() const;
    /// Starts a direct read, as another thread would. Returns whether the engine allows it.
    [[nodiscard]] bool begin_to_read() {
        reading_ = engine_->start_direct_read();
        return reading_.descriptor >= 0;
    }
    /// Ends the direct read without any bytes.
    void end_reading() {
        next_ = engine_->finish_direct_read(reading_.source, -1, EAGAIN, identity_.time->now());
    }
    [[nodiscard]] std::optional<engine::answer> answer_to(engine::op_id id) const;
    /// How often the operation was answered so far.
    [[nodiscard]] std::size_t times_answered(engine::op_id id) const { return answers_.count(id); }

    /// Drives until the ticket receives a notice of this kind; empty after a time-out.
    [[nodiscard]] std::optional<engine::notice>
    await(engine::notice::kind type, const engine::ticket& ticket, milliseconds within = long_wait);
    void drive_for(milliseconds span);

    /// How many notices of this kind the ticket has received so far.
    [[nodiscard]] std::size_t notices(engine::notice::kind type,
                                      const engine::ticket& ticket) const;

    [[nodiscard]] static engine::acquire_op acquire_op(const engine::ticket& ticket,
                                                       const request& request);

private:
    bool drive_until(const std::function<bool()>& done, milliseconds within);
    engine::beat_answer beat(const engine::beat_op::item& item);
    void drive_once(base::instant until);

    void answered(engine::answer&& answer) override;
    void noticed(const engine::notice& notice) override { notices_.push_back(notice); }

    engine::client_identity identity_;
    std::uint64_t last_number_ = 0;
    engine::op_id last_op_ = 0;
    base::instant next_{};
    engine::direct_read reading_;
    std::uint64_t renewals_ = 0; ///< sent so far, of all holds
    std::multimap<engine::op_id, engine::answer> answers_;
    std::vector<engine::notice> notices_;
    std::unique_ptr<engine::engine> engine_; // last: its destructor may use the others
};

} // namespace holdfast::test
