#pragma once
// An observer that records its events.

#include "support/timing.hpp"

#include <holdfast/observer.hpp>

#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// Thread safety: all members may be called from any thread.
class recording_observer : public observer {
public:
    void on_event(const event& event) noexcept override {
        const std::lock_guard guard{mutex_};
        events_.push_back(event);
    }

    [[nodiscard]] std::optional<event> first(event::kind type) const {
        const std::lock_guard guard{mutex_};
        const auto found = std::ranges::find(events_, type, &event::type);
        if (found == events_.end()) { return std::nullopt; }
        return *found;
    }

    /// Waits for the first event of this kind.
    [[nodiscard]] std::optional<event> await(event::kind type,
                                             milliseconds within = long_wait) const {
        std::optional<event> found;
        (void)eventually([&] { return (found = first(type)).has_value(); }, within);
        return found;
    }

    /// Waits until each of these names has an event of this kind with an error.
    [[nodiscard]] bool await_each(event::kind type,
                                  std::initializer_list<std::string_view> names) const {
        return eventually([&] {
            const auto events = all();
            return std::ranges::all_of(names, [&](std::string_view name) {
                return std::ranges::any_of(events, [&](const event& event) {
                    return event.type == type && event.name == name && event.error;
                });
            });
        });
    }

    [[nodiscard]] std::vector<event> all() const {
        const std::lock_guard guard{mutex_};
        return events_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<event> events_;
};

} // namespace holdfast::test
