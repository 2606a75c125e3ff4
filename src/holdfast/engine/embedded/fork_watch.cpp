#include "holdfast/engine/embedded/fork_watch.hpp"

#include <algorithm>
#include <pthread.h>
#include <vector>

namespace holdfast::engine::embedded {

namespace {

struct watched {
    std::mutex guard;
    std::vector<fork_watch*> all;
};

/// Never destroyed: a fork may come after the static destructors.
watched& everyone() {
    static auto* const the = new watched;
    return *the;
}

void prepare() {
    everyone().guard.lock();
    for (fork_watch* const each : everyone().all) {
        each->guard().lock();
        each->before_fork();
    }
}

void release() {
    for (fork_watch* const each : everyone().all) { each->guard().unlock(); }
    everyone().guard.unlock();
}

void release_in_child() {
    for (fork_watch* const each : everyone().all) {
        each->in_child();
        each->guard().unlock();
    }
    everyone().all.clear(); // they are the parent's
    everyone().guard.unlock();
}

} // namespace

void fork_watch::watch() {
    static const int registered = ::pthread_atfork(prepare, release, release_in_child);
    static_cast<void>(registered);
    const std::scoped_lock hold{everyone().guard};
    everyone().all.push_back(this);
}

void fork_watch::unwatch() noexcept {
    const std::scoped_lock hold{everyone().guard};
    std::erase(everyone().all, this);
}

} // namespace holdfast::engine::embedded
