#pragma once
// A thread that does one thing after another.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace holdfast::interop {

/// Thread safety: `then` may be called from any thread.
class worker {
public:
    void then(std::function<void()> task) {
        {
            const std::lock_guard guard{mutex_};
            tasks_.push_back(std::move(task));
        }
        more_.notify_one();
    }

private:
    void run(const std::stop_token& stop) {
        std::unique_lock guard{mutex_};
        while (more_.wait(guard, stop, [this] { return !tasks_.empty(); })) {
            const auto task = std::move(tasks_.front());
            tasks_.pop_front();
            guard.unlock();
            task();
            guard.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable_any more_;
    std::deque<std::function<void()>> tasks_;
    std::jthread thread_{[this](const std::stop_token& stop) { run(stop); }}; // last: it uses all
};

} // namespace holdfast::interop
