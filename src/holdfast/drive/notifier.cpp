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

/// Each thread owns it, so that a callback may destroy the notifier.
class notifier::worker_pool : public std::enable_shared_from_this<worker_pool> {
public:
    worker_pool() { threads_.reserve(max_threads); }

    void start() {
        const std::lock_guard lock{mutex_};
        if (threads_.empty()) { add_thread(); }
    }

    void add(std::shared_ptr<callback> posted) noexcept {
        {
            const std::lock_guard lock{mutex_};
            auto* const last = posted.get();
            (last_ == nullptr ? first_ : last_->next_) = std::move(posted);
            last_ = last;
            ++queued_;
            if (idle_ < queued_ && threads_.size() < max_threads) { try_to_add_thread(); }
        }
        wake_workers_.notify_one();
    }

    /// Returns whether the caller has to post a task that runs `deliver_events`.
    [[nodiscard]] bool add(event&& event) {
        const std::lock_guard lock{mutex_};
        if (events_.size() >= max_events) { return false; }
        events_.push_back(std::move(event));
        return !std::exchange(delivering_, true);
    }

    void deliver_events(observer& observer) noexcept {
        std::unique_lock lock{mutex_};
        while (!events_.empty()) {
            const auto next = std::move(events_.front());
            events_.pop_front();
            lock.unlock();
            observer.on_event(next);
            lock.lock();
        }
        delivering_ = false;
    }

    /// Runs all queued tasks and joins the threads.
    void end() noexcept {
        std::vector<std::thread> threads;
        {
            const std::lock_guard lock{mutex_};
            ending_ = true;
            threads.swap(threads_);
        }
        wake_workers_.notify_all();
        for (auto& thread : threads) {
            if (thread.get_id() == std::this_thread::get_id()) {
                thread.detach(); // it runs this call, and ends after its task
            } else {
                thread.join();
            }
        }
        if (threads.empty()) { work(); } // the system has refused every thread
    }

private:
    void add_thread() {
        threads_.push_back(
            base::library_thread("holdfast-notify", [self = shared_from_this()] { self->work(); }));
    }

    void try_to_add_thread() noexcept {
        try {
            add_thread();
        } catch (...) { // NOLINT(bugprone-empty-catch): an existing thread runs it later
        }
    }

    void work() noexcept {
        std::unique_lock lock{mutex_};
        for (;;) {
            if (first_) {
                auto posted = std::exchange(first_, std::move(first_->next_));
                if (!first_) { last_ = nullptr; }
                --queued_;
                lock.unlock();
                posted->run();
                posted.reset(); // may destroy the notifier, which locks
                lock.lock();
                continue;
            }
            if (ending_) { return; }
            ++idle_;
            wake_workers_.wait(lock);
            --idle_;
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_workers_;
    std::shared_ptr<callback> first_;
    callback* last_ = nullptr;
    std::size_t queued_ = 0;
    std::deque<event> events_;
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0;
    bool delivering_ = false; ///< some thread runs deliver_events
    bool ending_ = false;
};

class notifier::event_task final : public callback {
public:
    event_task(std::shared_ptr<worker_pool> pool, std::shared_ptr<holdfast::observer> observer)
        : pool_{std::move(pool)}, observer_{std::move(observer)} {}
    void run() noexcept override { pool_->deliver_events(*observer_); }

private:
    std::shared_ptr<worker_pool> pool_;
    std::shared_ptr<holdfast::observer> observer_;
};

notifier::notifier(std::shared_ptr<holdfast::observer> observer)
    : observer_{std::move(observer)},
      pool_{std::make_shared<worker_pool>()},
      event_task_{std::make_shared<event_task>(pool_, observer_)} {}

notifier::~notifier() { pool_->end(); }

void notifier::start() { pool_->start(); }

void notifier::post(std::shared_ptr<callback> posted) noexcept {
    // The callback may destroy this notifier, and with it the last thread's pool, before add()
    // returns.
    const auto pool = pool_;
    pool->add(std::move(posted));
}

void notifier::report(event event) noexcept {
    if (!observer_) { return; }
    try {
        if (pool_->add(std::move(event))) { post(event_task_); }
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): dropped
    }
}

} // namespace holdfast::drive
