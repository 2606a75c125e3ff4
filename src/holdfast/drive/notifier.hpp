#pragma once
// Runs the application's code (loss callbacks, the observer) on threads of their own.

#include <holdfast/observer.hpp>

#include <cstddef>
#include <memory>

namespace holdfast::drive {

/// A callback that hangs does not delay others: when all threads are busy another one is started,
/// up to `max_threads`. If that is reached or the system refuses a thread, callbacks wait for a
/// free one. Observer events are delivered one at a time, in order.
///
/// Thread safety: all members from any thread. The destructor runs what is queued and waits for it,
/// unless it is called from one of its own callbacks.
class notifier {
public:
    /// Code to run once. It is allocated beforehand, so that posting it needs no memory.
    class callback {
    public:
        callback() = default;
        callback(const callback&) = delete;
        callback& operator=(const callback&) = delete;
        virtual ~callback() = default;
        virtual void run() noexcept = 0;

    private:
        friend class notifier;
        std::shared_ptr<callback> next_; ///< in the queue
    };

    explicit notifier(std::shared_ptr<holdfast::observer> observer);
    notifier(const notifier&) = delete;
    notifier& operator=(const notifier&) = delete;
    ~notifier();

    /// Starts a thread unless there is one. Call it before the first loss can happen. Throws
    /// std::system_error if the system refuses a thread.
    void start();
    void post(std::shared_ptr<callback> posted) noexcept;
    /// Drops the event if the observer is `max_events` behind, or if there is no memory.
    void report(event event) noexcept;
    [[nodiscard]] bool has_observer() const noexcept { return observer_ != nullptr; }

    static constexpr unsigned max_threads = 16;
    static constexpr std::size_t max_events = 10'000;

private:
    class worker_pool;
    class event_task;
    std::shared_ptr<holdfast::observer> observer_;
    std::shared_ptr<worker_pool> pool_;
    std::shared_ptr<event_task> event_task_;
};

} // namespace holdfast::drive
