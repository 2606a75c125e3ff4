#include "holdfast/engine/embedded/death_watch.hpp"

#include <algorithm>
#include <chrono>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

constexpr std::size_t most_watched = 8;
/// A waiter that is still first beats more often than that.
constexpr std::chrono::seconds forgotten_after{5};

base::fd open_process(std::int64_t pid) noexcept {
    if (pid <= 0 || pid == ::getpid()) { return {}; }
    return base::fd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U))}; // is close-on-exec
}

} // namespace

bool death_watch::watch(const blocker& whom, const admission::liveness& clients,
                        base::instant now) {
    std::erase_if(watched_, [&](const entry& one) { return one.wanted + forgotten_after < now; });
    const auto known = std::find_if(watched_.begin(), watched_.end(),
                                    [&](const entry& one) { return one.client == whom.client; });
    if (known != watched_.end()) {
        known->wanted = now;
        return false;
    }
    base::fd process = open_process(whom.pid);
    if (process && watched_.size() < most_watched) {
        watched_.push_back({whom.client, std::move(process), now});
    }
    // Asked after opening: it may have died in between, and then no descriptor will tell.
    return !clients.is_alive(whom.client);
}

void death_watch::pollables(std::vector<pollfd>& out) const {
    for (const entry& one : watched_) { out.push_back({one.process.get(), POLLIN, 0}); }
}

bool death_watch::hear(std::span<const pollfd> ready) {
    const auto died = [&](const entry& one) {
        return std::any_of(ready.begin(), ready.end(), [&](const pollfd& each) {
            return each.fd == one.process.get() && each.revents != 0;
        });
    };
    return std::erase_if(watched_, died) > 0;
}

} // namespace holdfast::engine::embedded
