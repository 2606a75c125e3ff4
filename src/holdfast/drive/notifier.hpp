#pragma once
// Runs other people's code: loss callbacks and observers, on threads where they delay nobody.

#include <holdfast/observer.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace holdfast::drive {

/// Tasks start at once even while others hang: another thread is added when all are at work, up to
/// `most_threads`. Observer events go one at a time, in order.
///
/// Thread safety: all members from any thread. The destructor runs what is queued and waits for it,
/// unless it is called from one of its own tasks.
class notifier {
public:
    explicit notifier(std::shared_ptr<observer> watch);
    notifier(const notifier&) = delete;
    notifier& operator=(const notifier&) = delete;
    ~notifier();

    void run(std::function<void()> task);
    void tell(event what); ///< dropped if the observer is `most_events` behind
    [[nodiscard]] bool watched() const noexcept { return watch_ != nullptr; }

    static constexpr unsigned most_threads = 16;
    static constexpr std::size_t most_events = 10'000;

private:
    struct shared_part;
    std::shared_ptr<observer> watch_;
    std::shared_ptr<shared_part> shared_;
};

} // namespace holdfast::drive
