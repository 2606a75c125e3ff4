#pragma once
// A node's engine with a planted mistake, as its quorum sees it.

#include "holdfast/engine/engine.hpp"
#include "sim/world/mistakes.hpp"

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace holdfast::sim {

namespace seam = holdfast::engine;

/// Thread safety: none.
class flawed_node final : public seam::engine, private seam::sink {
public:
    flawed_node(std::unique_ptr<seam::engine> real, mistake planted) noexcept
        : real_{std::move(real)}, planted_{planted} {}

    [[nodiscard]] seam::capabilities caps(primitive kind) const override {
        return real_->caps(kind);
    }
    [[nodiscard]] seam::capabilities caps_in(primitive kind,
                                             const seam::lock_format& format) const override {
        return real_->caps_in(kind, format);
    }
    void attach(sink& target) override {
        out_ = &target;
        real_->attach(*this);
    }
    void submit(seam::op_id id, const seam::op& operation, base::instant give_up) override;
    void cancel(seam::op_id id) override { real_->cancel(id); }
    void pollables(std::vector<pollfd>& out) const override { real_->pollables(out); }
    base::instant drive(std::span<const pollfd> ready, base::instant now) override {
        return real_->drive(ready, now);
    }
    [[nodiscard]] std::size_t replies_in_flight() const override {
        return real_->replies_in_flight();
    }
    void reset() noexcept override { real_->reset(); }

private:
    void answered(seam::answer&& answer) override;
    void noticed(const seam::notice& notice) override { out_->noticed(notice); }
    [[nodiscard]] base::instant now() const noexcept override { return out_->now(); }

    void change(seam::acquire_op& acquire);
    void change(seam::beat_op& beat);
    /// Whether it is not sent at all, but answered `not_held`.
    [[nodiscard]] bool is_left_out(const seam::ticket& ticket, bool asks_again) const;

    std::unique_ptr<seam::engine> real_;
    mistake planted_;
    sink* out_ = nullptr;
    std::map<seam::op_id, std::uint64_t> acquires_; ///< in flight, by owner number
    std::set<std::uint64_t> granted_;               ///< owner numbers that it has voted for
    std::map<std::uint64_t, std::shared_ptr<const seam::acquire_op>> terms_; ///< likewise
};

} // namespace holdfast::sim
