#include "holdfast/drive/notifier.hpp"

#include "holdfast/base/process.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::drive {

/// Kept alive by each thread, so that the notifier may go away inside one of its own tasks.
struct notifier::shared_part : std::enable_shared_from_this<shared_part> {
    std::mutex mutex;
    std::condition_variable work_or_end;
    std::deque<std::function<void()>> tasks;
    std::deque<event> events;
    std::vector<std::thread> threads;
    unsigned idle = 0;
    bool telling = false; ///< some thread is handing out events
    bool ending = false;

    /// REQUIRES: `mutex` is held.
    void start_thread_if_short() {
        if (idle >= tasks.size() || threads.size() >= most_threads) { return; }
        threads.push_back(
            base::library_thread("holdfast-notify", [self = shared_from_this()] { self->work(); }));
    }

    void work() {
        std::unique_lock lock{mutex};
        for (;;) {
            if (!tasks.empty()) {
                const auto task = std::move(tasks.front());
                tasks.pop_front();
                lock.unlock();
                task();
                lock.lock();
                continue;
            }
            if (ending) { return; }
            ++idle;
            work_or_end.wait(lock);
            --idle;
        }
    }

    void tell_all(observer& watch) {
        std::unique_lock lock{mutex};
        while (!events.empty()) {
            const auto what = std::move(events.front());
            events.pop_front();
            lock.unlock();
            watch.on_event(what);
            lock.lock();
        }
        telling = false;
    }
};

notifier::notifier(std::shared_ptr<observer> watch)
    : watch_{std::move(watch)}, shared_{std::make_shared<shared_part>()} {}

notifier::~notifier() {
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock{shared_->mutex};
        shared_->ending = true;
        threads.swap(shared_->threads);
    }
    shared_->work_or_end.notify_all();
    for (auto& one : threads) {
        if (one.get_id() == std::this_thread::get_id()) {
            one.detach(); // it ends after the task that we are part of
        } else {
            one.join();
        }
    }
}

void notifier::run(std::function<void()> task) {
    {
        const std::lock_guard lock{shared_->mutex};
        shared_->tasks.push_back(std::move(task));
        shared_->start_thread_if_short();
    }
    shared_->work_or_end.notify_one();
}

void notifier::tell(event what) {
    if (!watch_) { return; }
    {
        const std::lock_guard lock{shared_->mutex};
        if (shared_->events.size() >= most_events) { return; }
        shared_->events.push_back(std::move(what));
        if (shared_->telling) { return; }
        shared_->telling = true;
    }
    run([shared = shared_, watch = watch_] { shared->tell_all(*watch); });
}

} // namespace holdfast::drive
