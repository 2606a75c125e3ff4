#include "holdfast/engine/embedded/fork_watch.hpp"

#include <algorithm>
#include <pthread.h>
#include <vector>

namespace holdfast::engine::embedded {

namespace {

struct fork_registry {
    std::mutex guard;
    std::vector<fork_watch*> watches;
};

/// Never destroyed: fork() may be called after the static destructors.
fork_registry& registry() {
    static auto* const instance = new fork_registry;
    return *instance;
}

void lock_all() {
    registry().guard.lock();
    for (fork_watch* const watch : registry().watches) {
        watch->guard().lock();
        watch->before_fork();
    }
}

void unlock_all() {
    for (fork_watch* const watch : registry().watches) { watch->guard().unlock(); }
    registry().guard.unlock();
}

void unlock_all_in_child() {
    for (fork_watch* const watch : registry().watches) {
        watch->in_child();
        watch->guard().unlock();
    }
    registry().watches.clear(); // they belong to the parent
    registry().guard.unlock();
}

} // namespace

void fork_watch::watch() {
    static const int registered = ::pthread_atfork(lock_all, unlock_all, unlock_all_in_child);
    static_cast<void>(registered);
    const std::scoped_lock hold{registry().guard};
    registry().watches.push_back(this);
}

void fork_watch::unwatch() noexcept {
    const std::scoped_lock hold{registry().guard};
    std::erase(registry().watches, this);
}

} // namespace holdfast::engine::embedded
