#pragma once
// The layouts that an engine knows.

#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/redis/layout/lock_layout.hpp"

#include <holdfast/layout.hpp>

#include <array>
#include <memory>

namespace holdfast::engine::redis {

/// One object per layout; a new layout is one more line in the constructor.
///
/// Thread safety: none.
class layout_set {
public:
    layout_set(const options& options, const client_identity& identity, operations& operations);

    void attach(sink& sink) noexcept;
    /// What a lock does not say is as the URL says.
    [[nodiscard]] lock_layout& for_format(const lock_format& format) const noexcept;

    void on_ready(base::instant now);
    [[nodiscard]] base::instant due() const noexcept;
    void on_timer(const channel_finder& find, base::instant now);

private:
    const holdfast::layout usual_;
    std::array<std::unique_ptr<lock_layout>, 3> all_; ///< by the value of holdfast::layout
};

} // namespace holdfast::engine::redis
