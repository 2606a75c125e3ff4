#include "fault/random_taker.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

namespace holdfast::test {

using history::stamp;

namespace {

/// N, at most a millisecond too early: the clock is read before and after, because this thread may
/// be stopped in between.
stamp valid_until(const lease& held) {
    for (;;) {
        const auto now = history::now();
        const auto until = now + held.remaining();
        if (history::now() - now < 1ms) { return until; }
    }
}

std::uint64_t token_of(const lease& held) {
    try {
        return held.token();
    } catch (const error&) { return 0; } // a layout without tokens
}

} // namespace

int random_taker::below(int end) { return std::uniform_int_distribution<int>{0, end - 1}(random_); }

milliseconds random_taker::some(milliseconds least, milliseconds most) {
    return least + milliseconds{below(static_cast<int>((most - least).count()) + 1)};
}

void random_taker::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        take_once(stop);
        std::this_thread::sleep_for(some(0ms, 10ms));
    }
}

void random_taker::take_once(const std::stop_token& stop) {
    name_ = names.at(static_cast<std::size_t>(below(static_cast<int>(names.size()))));
    owner_ = label_ + "#" + std::to_string(++rounds_);
    longest_ = scaled(some(400ms, 700ms));
    events_.record(history::requested{.name = name_, .owner = owner_, .lease = longest_});
    std::optional<lease> got;
    auto why = history::reason::timeout;
    try {
        got = ask(longest_);
    } catch (const error&) {
        ++seen_.failures;
        why = history::reason::failed;
    }
    if (!got) {
        events_.record(history::gave_up{name_, owner_, why});
        return;
    }
    hold(*got, stop);
}

std::optional<lease> random_taker::ask(milliseconds length) {
    mutex lock{fleet_, name_, {.lease = length}};
    return below(4) == 0 ? lock.try_acquire() : lock.try_acquire_for(some(50ms, 1s));
}

void random_taker::hold(lease& held, const std::stop_token& stop) {
    granted_at_ = history::now();
    over_at_ = {};
    until_ = valid_until(held);
    events_.record(history::granted{name_, owner_, token_of(held), until_});
    ++seen_.holds;
    std::atomic<bool> lost{false};
    {
        const std::stop_callback when_lost{
            held.lost(), [&] {
                const auto fired = history::now();
                lost = true;
                ++seen_.losses;
                events_.record(history::lost{name_, owner_, until_, fired});
            }};
        // Short leases first: each of their renewals may be late and arrive during the long one.
        for (int steps = below(4); steps > 0; --steps) {
            extend(held, scaled(some(300ms, 600ms)));
            rest(held, 0ms, scaled(60ms), stop);
        }
        if (below(3) > 0) {
            extend(held, scaled(some(3s, 5s)));
            rest(held, scaled(300ms), scaled(1200ms), stop);
        }
        if (below(4) == 0) {
            extend(held, scaled(some(200ms, 400ms)));
            rest(held, 0ms, scaled(200ms), stop);
        }
    }
    if (!lost) { events_.record(history::released{name_, owner_}); }
    std::error_code failure;
    held.release(failure);
}

/// A shorter lease counts from when it is sent: at least half of it is left then.
void random_taker::extend(lease& held, milliseconds length) {
    note_renewal(held); // the client's own, which nobody has seen if this thread was stopped
    const auto now = history::now();
    if (!held.valid()) { return; }
    const bool longer = now + length > until_.load();
    if (now + length / 2 < until_.load()) {
        until_ = now + length / 2;
        events_.record(history::renewed{name_, owner_, until_});
    }
    longest_ = std::max(longest_, length);
    std::error_code failure;
    held.extend(length, failure);
    if (!failure && longer) { ++seen_.extended; }
    note_renewal(held);
}

void random_taker::rest(const lease& held, milliseconds least, milliseconds most,
                        const std::stop_token& stop) {
    const auto until = history::now() + some(least, most);
    while (history::now() < until && held.valid() && !stop.stop_requested()) {
        std::this_thread::sleep_for(2ms);
        note_renewal(held);
    }
}

/// A renewal was sent at most its lease before the new end, and after the lease was last seen to be
/// over.
void random_taker::note_renewal(const lease& held) {
    const auto now = history::now();
    if (!held.valid()) {
        over_at_ = now;
        return;
    }
    const auto until = valid_until(held);
    if (until <= until_.load() + 2ms) { return; }
    until_ = until;
    events_.record(history::renewed{name_, owner_, until,
                                    std::max({granted_at_, over_at_, until - longest_})});
}

} // namespace holdfast::test
