#pragma once
// All layouts of an engine.

#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/redis/layout/lock_layout.hpp"

#include <holdfast/layout.hpp>

#include <array>
#include <memory>
#include <vector>

namespace holdfast::engine::redis {

/// One object per layout; a new layout is one more line in the constructor.
///
/// Thread safety: none.
class layout_set {
public:
    layout_set(const options& options, const client_identity& identity, operations& operations);

    void attach(sink& sink) noexcept;
    /// The layout of a lock; that of the URL if the format leaves it open.
    [[nodiscard]] lock_layout& for_format(const lock_format& format) const noexcept {
        return *all_[index_of(format)];
    }
    /// The same, for an operation: from now on `due` includes its timers.
    [[nodiscard]] lock_layout& use(const lock_format& format);

    void on_ready(base::instant now);
    /// When `on_timer` must be called: the earliest of the layouts in use.
    [[nodiscard]] base::instant due() const noexcept {
        return timed_.empty() ? base::never : first_due();
    }
    void on_timer(const channel_finder& find, base::instant now);

private:
    [[nodiscard]] std::size_t index_of(const lock_format& format) const noexcept {
        return static_cast<std::size_t>(format.layout.value_or(usual_));
    }
    [[nodiscard]] base::instant first_due() const noexcept;

    const holdfast::layout usual_;
    std::array<std::unique_ptr<lock_layout>, 4> all_; ///< by the value of holdfast::layout
    std::array<bool, 4> used_{};                      ///< likewise
    std::vector<lock_layout*> timed_;                 ///< those used that have timers
};

} // namespace holdfast::engine::redis
