#include "holdfast/engine/embedded/death_watch.hpp"

#include <algorithm>
#include <chrono>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

constexpr std::size_t max_watched = 8;
/// Longer than the interval of a waiter's beats, which renew the entry.
constexpr std::chrono::seconds entry_timeout{5};

base::fd open_process(std::int64_t pid) noexcept {
    if (pid <= 0 || pid == ::getpid()) { return {}; }
    return base::fd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U))}; // is close-on-exec
}

} // namespace

bool death_watch::watch(const blocker& holder, const admission::liveness& clients,
                        base::instant now) {
    std::erase_if(watched_,
                  [&](const entry& each) { return each.last_needed + entry_timeout < now; });
    const auto known = std::find_if(watched_.begin(), watched_.end(), [&](const entry& each) {
        return each.client == holder.client;
    });
    if (known != watched_.end()) {
        known->last_needed = now;
        return false;
    }
    base::fd process = open_process(holder.pid);
    if (process && watched_.size() < max_watched) {
        watched_.push_back({holder.client, std::move(process), now});
    }
    // Checked after opening: a process that died before that has no pidfd.
    return !clients.is_alive(holder.client);
}

void death_watch::pollables(std::vector<pollfd>& out) const {
    for (const entry& each : watched_) {
        if (each.process) { out.push_back({each.process.get(), POLLIN, 0}); }
    }
}

/// The entry stays, without its descriptor: a pidfd is readable for ever once the process has
/// ended. If the client is alive nevertheless, the pid means another process, maybe a zombie;
/// opening it again at each beat would keep a waiter busy.
bool death_watch::on_ready(std::span<const pollfd> ready) {
    bool ended = false;
    for (entry& each : watched_) {
        const bool readable = std::any_of(ready.begin(), ready.end(), [&](const pollfd& polled) {
            return each.process && polled.fd == each.process.get() && polled.revents != 0;
        });
        if (!readable) { continue; }
        each.process.reset();
        ended = true;
    }
    return ended;
}

} // namespace holdfast::engine::embedded
