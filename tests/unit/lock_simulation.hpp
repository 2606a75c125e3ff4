#pragma once
// Simulates a few clients, one lock and a network that delays, loses, doubles and reorders
// messages: the real machines and the real admission rule under virtual time.

#include "holdfast/base/random.hpp"
#include "holdfast/engine/admission/admission_rule.hpp"
#include "holdfast/engine/admission/list_queue.hpp"
#include "holdfast/machine/lease_machine.hpp"
#include "holdfast/machine/waiter_machine.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::machine {

/// The faults of network, server and clients. Chances are in percent.
struct network_conditions {
    unsigned lost = 0;                ///< of each message, either way
    unsigned slow = 0;                ///< of each message: up to `slowest` instead of 5 ms
    base::milliseconds slowest{4000}; ///< longer than a hand-off lasts
    unsigned refused = 0;             ///< of each request: no connection
    unsigned stalled = 0;             ///< of each hold: the server hangs, then runs all at once
    unsigned stopped = 0;             ///< of each wait or hold: its client is stopped meanwhile
    unsigned cancelled = 0;           ///< of each wait
    engine::queueing queue = engine::queueing::grant;
};

/// One request of a client, from its acquire to the end of its hold.
struct actor {
    explicit actor(const wait_plan& plan) : waiting{plan} {}
    engine::acquire_op op;
    lease_terms terms;
    waiter_machine waiting;
    std::optional<lease_machine> holding;
    base::instant stopped_until{};
    unsigned timer = 0; ///< counts the timers that were set: only the last one counts
    base::instant due = base::never;
    unsigned idle_ticks = 0; ///< one after the other
    bool finished = false;
    bool withdraw_failed = false;
    base::milliseconds hold_for{0};
};

class simulation {
public:
    simulation(std::uint64_t seed, const network_conditions& conditions);

    /// Runs until no event is left. Returns what went wrong, in a sentence; empty if nothing did.
    [[nodiscard]] std::string run();

    [[nodiscard]] unsigned grants() const noexcept { return grants_; }
    [[nodiscard]] unsigned hand_offs() const noexcept { return hand_offs_; }
    [[nodiscard]] unsigned losses() const noexcept { return losses_; }

private:
    using actor_ptr = std::shared_ptr<actor>;
    using reply = std::function<void(const engine::answer&, base::instant sent)>;

    void at(base::instant when, std::function<void()> action);
    void deliver(const actor_ptr& to, base::duration after, std::function<void()> action);
    [[nodiscard]] base::duration delay();
    [[nodiscard]] bool chance(unsigned percent) { return random_.below(100) < percent; }
    [[nodiscard]] base::milliseconds between(unsigned least, unsigned most);

    void begin_wait(unsigned client, unsigned rounds_left);
    void feed_wait(const actor_ptr& member, const wait_input& input);
    void do_wait(const actor_ptr& member, const waiter_machine::actions& actions);
    void begin_hold(const actor_ptr& member);
    void feed_hold(const actor_ptr& member, const lease_input& input);
    void do_hold(const actor_ptr& member, const lease_machine::actions& actions);
    void wake(const actor_ptr& member, base::instant when);

    void call(const actor_ptr& member, const engine::op& operation, base::instant give_up,
              reply on_answer);
    [[nodiscard]] engine::answer serve(const engine::op& operation);
    void push_notices(const std::vector<engine::admission::push>& all);
    [[nodiscard]] base::instant server_time(base::instant when) const;

    void check();
    void check_end();
    void fail(const std::string& action);

    base::jitter random_;
    network_conditions conditions_;
    double server_rate_;
    base::instant now_;
    base::instant stalled_until_{};
    std::multimap<base::instant, std::function<void()>> agenda_;
    std::vector<actor_ptr> actors_;
    std::uint64_t last_number_ = 0;
    engine::admission::record record_;
    engine::admission::list_queue queue_;
    std::string failure_;
    unsigned grants_ = 0;
    unsigned hand_offs_ = 0;
    unsigned losses_ = 0;
};

} // namespace holdfast::machine
