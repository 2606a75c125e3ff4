#pragma once
// Wraps the engine in calls that never throw.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/engine.hpp"

#include <array>
#include <exception>
#include <memory>
#include <span>
#include <utility>

namespace holdfast::drive {

/// An engine may throw, e.g. when the system refuses memory. It is then reset before any other
/// call. All operations that it had not answered are lost; the dispatcher answers them `unknown`.
///
/// Thread safety: none.
class guarded_engine {
public:
    explicit guarded_engine(std::unique_ptr<engine::engine> engine) noexcept
        : engine_{std::move(engine)} {}

    [[nodiscard]] engine::engine* operator->() const noexcept { return engine_.get(); }
    [[nodiscard]] engine::engine& operator*() const noexcept { return *engine_; }

    [[nodiscard]] engine::op_id next_id() noexcept { return ++last_id_; }
    void submit(engine::op_id id, const engine::op& operation, base::instant give_up,
                base::instant now) noexcept {
        submitted_ = true;
        guard(now, [&] { engine_->submit(id, operation, give_up); });
    }
    void drive(std::span<const pollfd> ready, base::instant now) noexcept {
        guard(now, [&] { due_ = engine_->drive(ready, now); });
    }
    void finish_direct_read(std::size_t source, ssize_t count, int error,
                            base::instant now) noexcept {
        guard(now, [&] { due_ = engine_->finish_direct_read(source, count, error, now); });
    }

    /// When it wants to be driven next, even if no descriptor is ready.
    [[nodiscard]] base::instant due() const noexcept { return due_; }
    /// Whether anything was submitted since the last `take_submitted`.
    [[nodiscard]] bool submitted() const noexcept { return submitted_; }
    [[nodiscard]] bool take_submitted() noexcept { return std::exchange(submitted_, false); }

    /// The engine was reset: all unanswered operations up to the id `take_lost()` are lost.
    [[nodiscard]] bool has_lost() const noexcept { return lost_up_to_ != 0; }
    [[nodiscard]] engine::op_id take_lost() noexcept { return std::exchange(lost_up_to_, 0); }
    /// The text of the last exception.
    [[nodiscard]] const char* failure() const noexcept { return failure_.data(); }

    /// The pause after an exception before the engine is driven again, so that an engine that
    /// always throws does not keep a cpu busy.
    static constexpr base::milliseconds retry_pause{20};

private:
    template <typename Call>
    void guard(base::instant now, Call call) noexcept {
        try {
            call();
        } catch (const std::exception& failure) { on_failure(failure.what(), now); } catch (...) {
            on_failure("unknown exception", now);
        }
    }
    void on_failure(const char* failure, base::instant now) noexcept;

    std::unique_ptr<engine::engine> engine_;
    engine::op_id last_id_ = 0;
    engine::op_id lost_up_to_ = 0;
    base::instant due_ = base::never;
    bool submitted_ = false;
    std::array<char, 120> failure_{};
};

} // namespace holdfast::drive
