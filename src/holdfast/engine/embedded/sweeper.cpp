#include "holdfast/engine/embedded/sweeper.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

using namespace std::chrono_literals;

/// Rows that one transaction looks at, of either kind: it should not keep others waiting for long.
constexpr std::size_t most_looks = 64;
constexpr std::int64_t most_sampled = 64;
constexpr int samples = 4;
/// A sample in which one row of so many was idle is followed by another.
constexpr std::int64_t worth_following = 4;

constexpr base::duration between_samples = 1min;
/// So that rows which become idle one after the other are removed together.
constexpr base::duration between_sweeps = 2s;
/// Later than this the thread that polls seems to be busy, or there is none.
constexpr base::duration overdue = 5s;

/// Further rows are left to the samples.
constexpr std::size_t most_remembered = std::size_t{1} << 18U;

} // namespace

void sweeper::add(std::int64_t id, base::instant now) {
    if (remembered_.size() >= most_remembered || !remembered_.insert(id).second) { return; }
    looks_.push({admission::first_look(now), id});
    arm();
}

base::instant sweeper::due() const noexcept {
    if (following_) { return rests_until_; }
    return looks_.empty() ? base::never : std::max(looks_.top().due, rests_until_);
}

bool sweeper::wanted(base::instant now) const noexcept {
    return now >= next_sample_ || now >= base::later(due(), overdue);
}

void sweeper::sweep(work& doing, tables& on, const admission::moment& at) {
    while (batch_.size() < most_looks && !looks_.empty() && looks_.top().due <= at.now) {
        batch_.push_back(looks_.top());
        looks_.pop();
    }
    for (look& row : batch_) { look_at(doing, row); }
    rests_until_ = batch_.size() < most_looks ? base::later(at.now, between_sweeps) : at.now;
    if (following_ || at.now >= next_sample_) { sample(doing, on, at.now); }
    doing.raise_mark();
}

void sweeper::look_at(work& doing, look& row) {
    const auto again = doing.look_after(row.id);
    row.gone = !again;
    row.due = again.value_or(row.due);
}

/// `most` rows from anywhere: clients that live for one command only must reach all of them
/// together. Behind the last comes the first.
std::vector<std::int64_t> sweeper::pick(tables& on, std::int64_t after, std::int64_t most) {
    auto found = on.ids(after, most);
    const std::int64_t missing = most - std::ssize(found);
    if (missing > 0) {
        const auto first = on.ids(0, missing);
        found.insert(found.end(), first.begin(), first.end());
    }
    return found;
}

void sweeper::sample(work& doing, tables& on, base::instant now) {
    next_sample_ = base::later(now, between_samples);
    const bool further = std::exchange(following_, false);
    const int places = further ? 1 : samples;
    for (int place = 0; place < places && !following_; ++place) {
        const auto after = further ? sampled_to_
                                   : static_cast<std::int64_t>(random_.below(
                                         static_cast<std::uint64_t>(on.last_id()) + 1));
        const auto found = pick(on, after, most_sampled / places);
        const auto before = doing.forgotten();
        for (const std::int64_t id : found) { (void)doing.look_after(id); }
        const auto gone = doing.forgotten() - before;
        following_ = gone > 0 && gone * worth_following >= std::ssize(found);
        if (following_) { sampled_to_ = found.back(); }
    }
    if (following_) { rests_until_ = now; }
}

void sweeper::committed() {
    for (const look& row : batch_) {
        if (row.gone) {
            remembered_.erase(row.id);
        } else {
            looks_.push(row);
        }
    }
    batch_.clear();
    arm();
}

void sweeper::put_off(base::instant now, base::duration pause) {
    rests_until_ = base::later(now, pause);
    next_sample_ = std::max(next_sample_, rests_until_);
    for (const look& row : batch_) { looks_.push({rests_until_, row.id}); }
    batch_.clear();
    arm();
}

void sweeper::arm() {
    const base::instant when = due();
    if (when >= armed_) { return; }
    if (!alarm_) {
        // Without it somebody who uses the file sweeps, see `wanted`.
        alarm_ = base::fd{::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)};
        if (!alarm_) { return; }
    }
    const auto since_boot = std::max(when.time_since_epoch(), base::duration{1}); // 0 disarms it
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
    itimerspec at{};
    at.it_value.tv_sec = static_cast<std::time_t>(seconds.count());
    at.it_value.tv_nsec = static_cast<long>((since_boot - seconds).count());
    if (::timerfd_settime(alarm_.get(), TFD_TIMER_ABSTIME, &at, nullptr) == 0) { armed_ = when; }
}

void sweeper::pollables(std::vector<pollfd>& out) const {
    if (alarm_) { out.push_back({alarm_.get(), POLLIN, 0}); }
}

void sweeper::hear(std::span<const pollfd> ready) {
    for (const pollfd& polled : ready) {
        if (!alarm_ || polled.fd != alarm_.get() || polled.revents == 0) { continue; }
        std::uint64_t times = 0;
        [[maybe_unused]] const auto got = ::read(alarm_.get(), &times, sizeof times);
        armed_ = base::never;
    }
}

} // namespace holdfast::engine::embedded
