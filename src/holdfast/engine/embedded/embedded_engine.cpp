#include "holdfast/engine/embedded/embedded_engine.hpp"

#include "holdfast/engine/admission/cell_rule.hpp"
#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/embedded/failure.hpp"

#include <algorithm>
#include <cassert>
#include <new>
#include <optional>
#include <sched.h>
#include <utility>
#include <variant>

namespace holdfast::engine::embedded {

namespace {

using namespace std::chrono_literals;

/// While another process is in a transaction: yield first, since most take some 20 us, then retry
/// at growing, random intervals.
constexpr int max_yields = 10; // some 40 us
constexpr base::duration first_pause = 50us;
constexpr base::duration longest_pause = 2ms;

constexpr std::size_t max_ops_in_transaction = 64;

/// When a sweep is tried again that found the file busy, or failed.
constexpr base::duration busy_delay = 50ms;
constexpr base::duration failure_delay = 1min;

/// The answer to an invalid operation; empty if it is valid.
std::optional<answer> reject(const op& operation) {
    if (const auto* const acquire = std::get_if<acquire_op>(&operation)) {
        return admission::reject_invalid(*acquire);
    }
    if (const auto* const cell = std::get_if<cell_op>(&operation)) {
        return admission::reject_invalid(*cell);
    }
    if (const auto* const set = std::get_if<acquire_set_op>(&operation)) {
        return admission::reject_invalid(*set);
    }
    if (const auto* const beat = std::get_if<beat_op>(&operation)) {
        if (beat->items.size() > max_beat_items) {
            return admission::failed_answer(errc::limit_reached,
                                            "beat: at most " + std::to_string(max_beat_items) +
                                                " items at once");
        }
    }
    return std::nullopt;
}

} // namespace

void embedded_engine::submit(op_id id, const op& operation, base::instant give_up) {
    assert(sink_ != nullptr);
    const std::scoped_lock hold{guard()};
    if (auto rejected = reject(operation)) {
        rejected->id = id;
        sink_->answered(std::move(*rejected));
        return;
    }
    const base::instant now = time_.now();
    if (pending_.empty()) {
        const op_ref only{id, &operation};
        if (attempt({&only, 1}) == outcome::answered) {
            if (sweeper_.should_sweep(now) && store_.is_open()) { sweep(now); }
            return;
        }
        pause_ = first_pause;
        schedule_retry(now);
    }
    pending_.push_back({id, operation, give_up, now});
}

void embedded_engine::cancel(op_id id) {
    const std::scoped_lock hold{guard()};
    std::erase_if(pending_, [id](const pending_op& pending) { return pending.id == id; });
}

bool embedded_engine::recall(op_id id) {
    const std::scoped_lock hold{guard()};
    return std::erase_if(pending_, [id](const pending_op& each) { return each.id == id; }) > 0;
}

void embedded_engine::pollables(std::vector<pollfd>& out) const {
    const int inbox = store_.inbox().descriptor();
    if (inbox >= 0) { out.push_back({inbox, POLLIN, 0}); }
    death_watch_.pollables(out);
    sweeper_.pollables(out);
}

base::instant embedded_engine::drive(std::span<const pollfd> ready, base::instant now) {
    assert(sink_ != nullptr);
    const std::scoped_lock hold{guard()};
    const int inbox = store_.inbox().descriptor();
    for (const pollfd& polled : ready) {
        if (polled.fd != inbox || polled.revents == 0) { continue; }
        for (const notice& notice : store_.inbox().read()) { sink_->noticed(notice); }
    }
    if (death_watch_.on_ready(ready)) { sink_->noticed({.type = notice::kind::inbox_reset}); }
    sweeper_.on_ready(ready);
    if (!pending_.empty() && now >= next_try_) { run_pending(now); }
    fail_overdue(now);
    if (now >= sweeper_.due()) {
        if (pending_.empty()) {
            sweep(now);
        } else {
            sweeper_.postpone(now, busy_delay);
        }
    }
    base::instant next = pending_.empty() ? sweeper_.due() : std::min(next_try_, sweeper_.due());
    for (const pending_op& pending : pending_) { next = std::min(next, pending.give_up); }
    return next;
}

/// The exception may have left a transaction open.
void embedded_engine::reset() noexcept {
    const std::scoped_lock hold{guard()};
    roll_back(errc::internal);
    pending_.clear();
}

void embedded_engine::close_store() noexcept {
    const std::scoped_lock hold{guard()};
    store_.close();
}

bool embedded_engine::begin(embedded_store::transaction_kind kind) {
    for (int yields = 0; yields < max_yields; ++yields) {
        if (store_.begin(kind)) { return true; }
        ::sched_yield();
    }
    return false;
}

/// Runs all of them in one transaction, or none.
embedded_engine::outcome embedded_engine::attempt(std::span<const op_ref> ops) {
    const bool reads = std::all_of(ops.begin(), ops.end(),
                                   [](const op_ref& op) { return only_reads(*op.operation); });
    try {
        if (!begin(reads ? embedded_store::transaction_kind::read
                         : embedded_store::transaction_kind::write)) {
            return outcome::busy;
        }
        run_all(ops);
        store_.commit();
    } catch (const failure& why) {
        roll_back(why.code(), ops.size() == 1);
        if (ops.size() > 1) { return outcome::retry_separately; }
        answers_.push_back(admission::failed_answer(why.code(), why.what()));
        answers_.back().id = ops.front().id;
    } catch (...) { // out of memory
        roll_back(errc::internal);
        throw;
    }
    deliver();
    return outcome::answered;
}

void embedded_engine::run_all(std::span<const op_ref> ops) {
    // Read the clock after BEGIN: the transaction before may have ended just now.
    const admission::moment at{time_.now(), time_.wall_us(), &store_.clients()};
    operation_runner runner{store_.tables(), at, process_, post_commit_};
    for (const op_ref& op : ops) {
        answers_.push_back(runner.run(*op.operation, {store_.path(), store_.node_id()}));
        answers_.back().id = op.id;
    }
}

void embedded_engine::roll_back(errc code, bool reported) noexcept {
    store_.recover(code, reported);
    answers_.clear();
    post_commit_.pushes.clear();
    post_commit_.blockers.clear();
    post_commit_.used_rows.clear();
}

/// Only after the commit: a grant that was not committed must not be announced.
void embedded_engine::deliver() {
    for (answer& answer : answers_) { sink_->answered(std::move(answer)); }
    answers_.clear();
    for (const admission::push& push : post_commit_.pushes) {
        if (push.to == client_) {
            sink_->noticed(push.notice);
        } else {
            store_.inbox().send(push.to, push.notice);
        }
    }
    post_commit_.pushes.clear();
    bool holder_died = false;
    for (const blocker& blocker : post_commit_.blockers) {
        holder_died = (blocker.client != client_ &&
                       death_watch_.watch(blocker, store_.clients(), time_.now())) ||
                      holder_died;
    }
    post_commit_.blockers.clear();
    for (const std::int64_t id : post_commit_.used_rows) { sweeper_.add(id, time_.now()); }
    post_commit_.used_rows.clear();
    if (holder_died) { sink_->noticed({.type = notice::kind::inbox_reset}); }
}

void embedded_engine::run_pending(base::instant now) {
    std::size_t max_ops = max_ops_in_transaction;
    std::vector<op_ref> ops;
    while (!pending_.empty()) {
        ops.clear();
        for (const pending_op& pending : pending_) {
            if (ops.size() == max_ops) { break; }
            ops.push_back({pending.id, &pending.operation});
        }
        switch (attempt(ops)) {
        case outcome::busy: schedule_retry(now); return;
        case outcome::retry_separately:
            max_ops = 1;
            break; // one failure must not affect the others
        case outcome::answered:
            pending_.erase(pending_.begin(),
                           pending_.begin() + static_cast<std::ptrdiff_t>(ops.size()));
            break;
        }
    }
    if (sweeper_.should_sweep(now) && store_.is_open()) { sweep(now); }
}

void embedded_engine::schedule_retry(base::instant now) {
    const auto half = static_cast<std::uint64_t>(pause_.count() / 2);
    next_try_ = now + base::duration{static_cast<std::int64_t>(half + random_.below(half + 1))};
    pause_ = std::min(pause_ * 2, longest_pause);
}

void embedded_engine::fail_overdue(base::instant now) {
    for (auto it = pending_.begin(); it != pending_.end();) {
        if (it->give_up > now) {
            ++it;
            continue;
        }
        const auto waited = std::chrono::duration_cast<base::milliseconds>(now - it->since);
        answer late = admission::failed_answer(
            errc::unavailable, store_.path() + ": another process has kept the file busy for " +
                                   std::to_string(waited.count()) +
                                   " ms; look for one that is stopped or hangs");
        late.id = it->id;
        sink_->answered(std::move(late));
        it = pending_.erase(it);
    }
}

/// Housekeeping that no operation waits for: deletes rows that have been idle for long.
void embedded_engine::sweep(base::instant now) {
    store_.repair_inbox();
    try {
        if (!store_.begin(embedded_store::transaction_kind::write)) {
            sweeper_.postpone(now, busy_delay);
            return;
        }
        const admission::moment at{time_.now(), time_.wall_us(), &store_.clients()};
        operation_runner runner{store_.tables(), at, process_, post_commit_};
        sweeper_.sweep(runner, store_.tables(), at);
        store_.commit();
        sweeper_.committed();
    } catch (const failure& why) {
        roll_back(why.code(), false); // the operation that needs it will report it
        sweeper_.postpone(now, failure_delay);
    } catch (const std::bad_alloc&) {
        roll_back(errc::unavailable, false);
        sweeper_.postpone(now, failure_delay);
    }
    deliver();
}

} // namespace holdfast::engine::embedded
