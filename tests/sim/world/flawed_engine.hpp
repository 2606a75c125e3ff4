#pragma once
// An engine with a planted mistake, as its client sees it.

#include "holdfast/engine/engine.hpp"
#include "sim/world/mistakes.hpp"

#include <map>
#include <memory>
#include <vector>

namespace holdfast::sim {

namespace seam = holdfast::engine;

/// Thread safety: none.
class flawed_engine final : public seam::engine, private seam::sink {
public:
    flawed_engine(std::unique_ptr<seam::engine> real, mistake planted) noexcept
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
    void reset() noexcept override { real_->reset(); }

private:
    void answered(seam::answer&& answer) override;
    void noticed(const seam::notice& notice) override;
    [[nodiscard]] base::instant now() const noexcept override { return out_->now(); }

    std::unique_ptr<seam::engine> real_;
    mistake planted_;
    sink* out_ = nullptr;
    std::map<seam::op_id, std::uint64_t> acquires_; ///< no_validity_check: in flight, by number
    std::map<std::uint64_t, std::uint64_t> kept_grants_; ///< likewise: tokens by number
};

} // namespace holdfast::sim
