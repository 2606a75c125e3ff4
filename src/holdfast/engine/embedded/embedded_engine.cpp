#include "holdfast/engine/embedded/embedded_engine.hpp"

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

/// While another process is in its transaction: first yield, since most take some 20 us, then look
/// again at growing, random intervals.
constexpr int most_yields = 10; // some 40 us
constexpr base::duration first_pause = 50us;
constexpr base::duration longest_pause = 2ms;

constexpr std::size_t most_jobs_in_transaction = 64;

/// When a sweep is tried again that found the file busy, or that failed.
constexpr base::duration soon = 50ms;
constexpr base::duration later = 1min;

/// What is wrong with an operation by itself.
std::optional<answer> refused(const op& operation) {
    if (const auto* const ask = std::get_if<acquire_op>(&operation)) {
        return admission::reject_invalid(*ask);
    }
    if (const auto* const beat = std::get_if<beat_op>(&operation)) {
        if (beat->items.size() > max_beat_items) {
            return admission::failed_answer(errc::limit_reached, "beat: at most " +
                                                              std::to_string(max_beat_items) +
                                                              " items at once");
        }
    }
    return std::nullopt;
}

} // namespace

void embedded_engine::submit(op_id id, const op& operation, base::instant give_up) {
    assert(sink_ != nullptr);
    const std::scoped_lock hold{guard()};
    if (auto wrong = refused(operation)) {
        wrong->id = id;
        sink_->answered(std::move(*wrong));
        return;
    }
    const base::instant now = time_.now();
    if (pending_.empty()) {
        const task only{id, &operation};
        if (attempt({&only, 1}) == outcome::answered) {
            if (sweeper_.wanted(now) && store_.is_open()) { sweep(now); }
            return;
        }
        pause_ = first_pause;
        try_later(now);
    }
    pending_.push_back({id, operation, give_up, now});
}

void embedded_engine::cancel(op_id id) {
    const std::scoped_lock hold{guard()};
    std::erase_if(pending_, [id](const job& pending) { return pending.id == id; });
}

void embedded_engine::pollables(std::vector<pollfd>& out) const {
    const int inbox = store_.letters().descriptor();
    if (inbox >= 0) { out.push_back({inbox, POLLIN, 0}); }
    deaths_.pollables(out);
    sweeper_.pollables(out);
}

base::instant embedded_engine::drive(std::span<const pollfd> ready, base::instant now) {
    assert(sink_ != nullptr);
    const std::scoped_lock hold{guard()};
    const int inbox = store_.letters().descriptor();
    for (const pollfd& one : ready) {
        if (one.fd != inbox || one.revents == 0) { continue; }
        for (const notice& notice : store_.letters().read()) { sink_->noticed(notice); }
    }
    if (deaths_.hear(ready)) { sink_->noticed({.type = notice::kind::inbox_reset}); }
    sweeper_.hear(ready);
    if (!pending_.empty() && now >= next_try_) { run_pending(now); }
    refuse_overdue(now);
    if (now >= sweeper_.due()) {
        if (pending_.empty()) {
            sweep(now);
        } else {
            sweeper_.put_off(now, soon);
        }
    }
    base::instant next = pending_.empty() ? sweeper_.due() : std::min(next_try_, sweeper_.due());
    for (const job& pending : pending_) { next = std::min(next, pending.give_up); }
    return next;
}

/// Whatever threw may have left a transaction open.
void embedded_engine::reset() noexcept {
    const std::scoped_lock hold{guard()};
    undo(errc::internal);
    pending_.clear();
}

bool embedded_engine::begin(store::access access) {
    for (int yields = 0; yields < most_yields; ++yields) {
        if (store_.begin(access)) { return true; }
        ::sched_yield();
    }
    return false;
}

/// All in one transaction, or none of them.
embedded_engine::outcome embedded_engine::attempt(std::span<const task> tasks) {
    const bool reads = std::all_of(tasks.begin(), tasks.end(),
                                   [](const task& work) { return only_reads(*work.operation); });
    try {
        if (!begin(reads ? store::access::read : store::access::write)) { return outcome::busy; }
        do_all(tasks);
        store_.commit();
    } catch (const failure& why) {
        undo(why.code(), tasks.size() == 1);
        if (tasks.size() > 1) { return outcome::one_by_one; }
        answers_.push_back(admission::failed_answer(why.code(), why.what()));
        answers_.back().id = tasks.front().id;
    } catch (...) { // no memory
        undo(errc::internal);
        throw;
    }
    deliver();
    return outcome::answered;
}

void embedded_engine::do_all(std::span<const task> tasks) {
    // Only now: somebody else's transaction may have ended just before.
    const admission::moment at{time_.now(), time_.wall_us(), &store_.clients()};
    work doing{store_.on(), at, from_, then_};
    for (const task& work : tasks) {
        answers_.push_back(doing.run(*work.operation, store_.path()));
        answers_.back().id = work.id;
    }
}

void embedded_engine::undo(errc after, bool told) noexcept {
    store_.recover(after, told);
    answers_.clear();
    then_.pushes.clear();
    then_.blockers.clear();
    then_.used.clear();
}

/// After the commit: a notice of a grant that was not committed would be a lie.
void embedded_engine::deliver() {
    for (answer& answer : answers_) { sink_->answered(std::move(answer)); }
    answers_.clear();
    for (const admission::push& push : then_.pushes) {
        if (push.to == client_) {
            sink_->noticed(push.notice);
        } else {
            store_.letters().send(push.to, push.notice);
        }
    }
    then_.pushes.clear();
    bool died = false;
    for (const blocker& blocker : then_.blockers) {
        died =
            (blocker.client != client_ && deaths_.watch(blocker, store_.clients(), time_.now())) ||
            died;
    }
    then_.blockers.clear();
    for (const std::int64_t id : then_.used) { sweeper_.add(id, time_.now()); }
    then_.used.clear();
    if (died) { sink_->noticed({.type = notice::kind::inbox_reset}); }
}

void embedded_engine::run_pending(base::instant now) {
    std::size_t most = most_jobs_in_transaction;
    std::vector<task> tasks;
    while (!pending_.empty()) {
        tasks.clear();
        for (const job& pending : pending_) {
            if (tasks.size() == most) { break; }
            tasks.push_back({pending.id, &pending.operation});
        }
        switch (attempt(tasks)) {
        case outcome::busy: try_later(now); return;
        case outcome::one_by_one: most = 1; break; // so that one cannot spoil the others
        case outcome::answered:
            pending_.erase(pending_.begin(),
                           pending_.begin() + static_cast<std::ptrdiff_t>(tasks.size()));
            break;
        }
    }
    if (sweeper_.wanted(now) && store_.is_open()) { sweep(now); }
}

void embedded_engine::try_later(base::instant now) {
    const auto half = static_cast<std::uint64_t>(pause_.count() / 2);
    next_try_ = now + base::duration{static_cast<std::int64_t>(half + random_.below(half + 1))};
    pause_ = std::min(pause_ * 2, longest_pause);
}

void embedded_engine::refuse_overdue(base::instant now) {
    for (auto one = pending_.begin(); one != pending_.end();) {
        if (one->give_up > now) {
            ++one;
            continue;
        }
        const auto waited = std::chrono::duration_cast<base::milliseconds>(now - one->since);
        answer late = admission::failed_answer(
            errc::unavailable, store_.path() + ": another process has kept the file busy for " +
                                   std::to_string(waited.count()) +
                                   " ms; is one of its users stopped?");
        late.id = one->id;
        sink_->answered(std::move(late));
        one = pending_.erase(one);
    }
}

/// Housekeeping that no operation waits for: names that were idle for long are forgotten.
void embedded_engine::sweep(base::instant now) {
    store_.mend();
    try {
        if (!store_.begin(store::access::write)) {
            sweeper_.put_off(now, soon);
            return;
        }
        const admission::moment at{time_.now(), time_.wall_us(), &store_.clients()};
        work doing{store_.on(), at, from_, then_};
        sweeper_.sweep(doing, store_.on(), at);
        store_.commit();
        sweeper_.committed();
    } catch (const failure& why) {
        undo(why.code(), false); // whoever needs what is wrong there will be told
        sweeper_.put_off(now, later);
    } catch (const std::bad_alloc&) {
        undo(errc::unavailable, false);
        sweeper_.put_off(now, later);
    }
    deliver();
}

} // namespace holdfast::engine::embedded
