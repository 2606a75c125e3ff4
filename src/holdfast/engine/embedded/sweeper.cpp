#include "holdfast/engine/embedded/sweeper.hpp"

#include "holdfast/base/timer.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

using namespace std::chrono_literals;

/// How many rows one transaction checks, of either kind: it must not block others for long.
constexpr std::size_t max_checked = 64;
constexpr std::int64_t max_sampled = 64;
constexpr int samples = 4;
/// A sample is followed by another if at least one row of this many was deleted.
constexpr std::int64_t min_deleted_share = 4;

constexpr base::duration between_samples = 1min;
/// Rows that become idle one after the other are deleted together.
constexpr base::duration between_sweeps = 2s;
/// After this time the polling thread seems to be busy, or there is none.
constexpr base::duration overdue = 5s;

/// Further rows are found by samples.
constexpr std::size_t max_known_rows = std::size_t{1} << 18U;

} // namespace

void sweeper::add(std::int64_t id, base::instant now) {
    if (known_rows_.size() >= max_known_rows || !known_rows_.insert(id).second) { return; }
    idle_checks_.push({admission::first_idle_check(now), id});
    arm();
}

base::instant sweeper::due() const noexcept {
    if (continue_sampling_) { return not_before_; }
    return idle_checks_.empty() ? base::never : std::max(idle_checks_.top().due, not_before_);
}

bool sweeper::should_sweep(base::instant now) const noexcept {
    return now >= next_sample_ || now >= base::later(due(), overdue);
}

void sweeper::sweep(operation_runner& runner, tables& tables, const admission::moment& at) {
    while (batch_.size() < max_checked && !idle_checks_.empty() &&
           idle_checks_.top().due <= at.now) {
        batch_.push_back(idle_checks_.top());
        idle_checks_.pop();
    }
    for (row_check& row : batch_) { check_row(runner, row); }
    not_before_ = batch_.size() < max_checked ? base::later(at.now, between_sweeps) : at.now;
    if (continue_sampling_ || at.now >= next_sample_) { sample(runner, tables, at.now); }
    runner.raise_mark();
}

void sweeper::check_row(operation_runner& runner, row_check& row) {
    const auto again = runner.delete_if_idle(row.id);
    row.deleted = !again;
    row.due = again.value_or(row.due);
}

/// The next `max` rows after `after`, and from the first row on after the last. Clients that live
/// for one command only, each with a random start, reach all rows together.
std::vector<std::int64_t> sweeper::pick(tables& tables, std::int64_t after, std::int64_t max) {
    auto found = tables.ids(after, max);
    const std::int64_t missing = max - std::ssize(found);
    if (missing > 0) {
        const auto first = tables.ids(0, missing);
        found.insert(found.end(), first.begin(), first.end());
    }
    return found;
}

void sweeper::sample(operation_runner& runner, tables& tables, base::instant now) {
    next_sample_ = base::later(now, between_samples);
    const bool further = std::exchange(continue_sampling_, false);
    const int places = further ? 1 : samples;
    for (int place = 0; place < places && !continue_sampling_; ++place) {
        const auto after = further ? last_sampled_
                                   : static_cast<std::int64_t>(random_.below(
                                         static_cast<std::uint64_t>(tables.last_id()) + 1));
        const auto found = pick(tables, after, max_sampled / places);
        const auto before = runner.deleted();
        for (const std::int64_t id : found) { (void)runner.delete_if_idle(id); }
        const auto deleted = runner.deleted() - before;
        continue_sampling_ = deleted > 0 && deleted * min_deleted_share >= std::ssize(found);
        if (continue_sampling_) { last_sampled_ = found.back(); }
    }
    if (continue_sampling_) { not_before_ = now; }
}

void sweeper::committed() {
    for (const row_check& row : batch_) {
        if (row.deleted) {
            known_rows_.erase(row.id);
        } else {
            idle_checks_.push(row);
        }
    }
    batch_.clear();
    arm();
}

void sweeper::postpone(base::instant now, base::duration pause) {
    not_before_ = base::later(now, pause);
    next_sample_ = std::max(next_sample_, not_before_);
    for (const row_check& row : batch_) { idle_checks_.push({not_before_, row.id}); }
    batch_.clear();
    arm();
}

void sweeper::arm() {
    const base::instant when = due();
    if (when >= armed_) { return; }
    if (!timer_) {
        // Without a timer, operations sweep: see `should_sweep`.
        timer_ = base::make_timer();
        if (!timer_) { return; }
    }
    if (base::arm_timer(timer_, when)) { armed_ = when; }
}

void sweeper::pollables(std::vector<pollfd>& out) const {
    if (timer_) { out.push_back({timer_.get(), POLLIN, 0}); }
}

void sweeper::on_ready(std::span<const pollfd> ready) {
    for (const pollfd& polled : ready) {
        if (!timer_ || polled.fd != timer_.get() || polled.revents == 0) { continue; }
        std::uint64_t times = 0;
        [[maybe_unused]] const auto got = ::read(timer_.get(), &times, sizeof times);
        armed_ = base::never;
    }
}

} // namespace holdfast::engine::embedded
