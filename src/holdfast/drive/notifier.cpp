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
class notifier::shared_part : public std::enable_shared_from_this<shared_part> {
public:
    shared_part() { threads_.reserve(most_threads); }

    void start() {
        const std::lock_guard lock{mutex_};
        if (threads_.empty()) { add_thread(); }
    }

    void add(std::shared_ptr<task> posted) noexcept {
        {
            const std::lock_guard lock{mutex_};
            auto* const last = posted.get();
            (last_ == nullptr ? first_ : last_->next_) = std::move(posted);
            last_ = last;
            ++queued_;
            if (idle_ < queued_ && threads_.size() < most_threads) { try_to_add_thread(); }
        }
        work_or_end_.notify_one();
    }

    /// True: somebody has to tell the events, from the first on.
    [[nodiscard]] bool add(event&& event) {
        const std::lock_guard lock{mutex_};
        if (events_.size() >= most_events) { return false; }
        events_.push_back(std::move(event));
        return !std::exchange(telling_, true);
    }

    void tell_all(observer& watch) noexcept {
        std::unique_lock lock{mutex_};
        while (!events_.empty()) {
            const auto what = std::move(events_.front());
            events_.pop_front();
            lock.unlock();
            watch.on_event(what);
            lock.lock();
        }
        telling_ = false;
    }

    /// Runs what is queued, and waits for that.
    void end() noexcept {
        std::vector<std::thread> threads;
        {
            const std::lock_guard lock{mutex_};
            ending_ = true;
            threads.swap(threads_);
        }
        work_or_end_.notify_all();
        for (auto& thread : threads) {
            if (thread.get_id() == std::this_thread::get_id()) {
                thread.detach(); // it ends after the task that we are part of
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
        } catch (...) { // NOLINT(bugprone-empty-catch): those that there are will come to it
        }
    }

    void work() noexcept {
        std::unique_lock lock{mutex_};
        for (;;) {
            if (first_) {
                const auto posted = std::exchange(first_, std::move(first_->next_));
                if (!first_) { last_ = nullptr; }
                --queued_;
                lock.unlock();
                posted->run();
                lock.lock();
                continue;
            }
            if (ending_) { return; }
            ++idle_;
            work_or_end_.wait(lock);
            --idle_;
        }
    }

    std::mutex mutex_;
    std::condition_variable work_or_end_;
    std::shared_ptr<task> first_;
    task* last_ = nullptr;
    std::size_t queued_ = 0;
    std::deque<event> events_;
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0;
    bool telling_ = false; ///< some thread is handing out events
    bool ending_ = false;
};

class notifier::teller final : public task {
public:
    teller(std::shared_ptr<shared_part> shared, std::shared_ptr<observer> watch)
        : shared_{std::move(shared)}, watch_{std::move(watch)} {}
    void run() noexcept override { shared_->tell_all(*watch_); }

private:
    std::shared_ptr<shared_part> shared_;
    std::shared_ptr<observer> watch_;
};

notifier::notifier(std::shared_ptr<observer> watch)
    : watch_{std::move(watch)},
      shared_{std::make_shared<shared_part>()},
      teller_{std::make_shared<teller>(shared_, watch_)} {}

notifier::~notifier() { shared_->end(); }

void notifier::start() { shared_->start(); }

void notifier::run(std::shared_ptr<task> posted) noexcept {
    const auto shared = shared_; // the task may destroy this notifier before add() is through
    shared->add(std::move(posted));
}

void notifier::tell(event event) noexcept {
    if (!watch_) { return; }
    try {
        if (shared_->add(std::move(event))) { run(teller_); }
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): dropped
    }
}

} // namespace holdfast::drive
