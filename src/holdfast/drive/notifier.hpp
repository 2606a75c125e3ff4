#pragma once
// Runs other people's code: loss callbacks and observers, on threads where they delay nobody.

#include <holdfast/observer.hpp>

#include <cstddef>
#include <memory>

namespace holdfast::drive {

/// Tasks start at once even while others hang: another thread is added when all are at work, up to
/// `most_threads`, if the system allows it; otherwise they wait for one that is free. Observer
/// events go one at a time, in order.
///
/// Thread safety: all members from any thread. The destructor runs what is queued and waits for it,
/// unless it is called from one of its own tasks.
class notifier {
public:
    /// Something to be run once. It is made beforehand: to run it needs no memory.
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

    explicit notifier(std::shared_ptr<observer> watch);
    notifier(const notifier&) = delete;
    notifier& operator=(const notifier&) = delete;
    ~notifier();

    /// Before anything may have to be told: makes sure that there is a thread. Throws
    /// std::system_error if the system refuses one.
    void start();
    void run(std::shared_ptr<task> posted) noexcept;
    /// Dropped if the observer is `most_events` behind, or if there is no memory.
    void tell(event event) noexcept;
    [[nodiscard]] bool watched() const noexcept { return watch_ != nullptr; }

    static constexpr unsigned most_threads = 16;
    static constexpr std::size_t most_events = 10'000;

private:
    class shared_part;
    class teller;
    std::shared_ptr<observer> watch_;
    std::shared_ptr<shared_part> shared_;
    std::shared_ptr<teller> teller_;
};

} // namespace holdfast::drive
