#pragma once
// Runs the application's code (loss callbacks, the observer) on threads where it delays nobody.

#include <holdfast/observer.hpp>

#include <cstddef>
#include <memory>

namespace holdfast::drive {

/// Tasks start at once even while others hang: another thread is added when all are busy, up to
/// `most_threads`, if the system allows it; otherwise tasks wait for a free one. Observer events
/// are delivered one at a time, in order.
///
/// Thread safety: all members from any thread. The destructor runs what is queued and waits for it,
/// unless it is called from one of its own tasks.
class notifier {
public:
    /// Something to be run once. It is made beforehand, so that running it needs no memory.
    class task {
    public:
        task() = default;
        task(const task&) = delete;
        task& operator=(const task&) = delete;
        virtual ~task() = default;
        virtual void run() noexcept = 0;

    private:
        friend class notifier;
        std::shared_ptr<task> next_; ///< in the queue
    };

    explicit notifier(std::shared_ptr<holdfast::observer> observer);
    notifier(const notifier&) = delete;
    notifier& operator=(const notifier&) = delete;
    ~notifier();

    /// Makes sure that there is a thread, before anything may have to be reported. Throws
    /// std::system_error if the system refuses one.
    void start();
    void post(std::shared_ptr<task> posted) noexcept;
    /// Dropped if the observer is `most_events` behind, or if there is no memory.
    void report(event event) noexcept;
    [[nodiscard]] bool has_observer() const noexcept { return observer_ != nullptr; }

    static constexpr unsigned most_threads = 16;
    static constexpr std::size_t most_events = 10'000;

private:
    class worker_pool;
    class event_task;
    std::shared_ptr<holdfast::observer> observer_;
    std::shared_ptr<worker_pool> pool_;
    std::shared_ptr<event_task> event_task_;
};

} // namespace holdfast::drive
