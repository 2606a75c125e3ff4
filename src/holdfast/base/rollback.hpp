#pragma once

#include <utility>

namespace holdfast::base {

/// Undoes at the end of the scope what is not confirmed. `undo` must not throw.
template <typename Undo>
class rollback {
public:
    explicit rollback(Undo undo) : undo_{std::move(undo)} {}
    rollback(const rollback&) = delete;
    rollback& operator=(const rollback&) = delete;
    ~rollback() {
        if (active_) { undo_(); }
    }
    void confirm() noexcept { active_ = false; }

private:
    Undo undo_;
    bool active_ = true;
};

} // namespace holdfast::base
