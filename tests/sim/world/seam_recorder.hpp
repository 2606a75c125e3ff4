#pragma once
// Stands between a client and its engine, and notes what the promises depend on.

#include "holdfast/engine/engine.hpp"
#include "sim/world/sim_time.hpp"
#include "sim/world/timeline.hpp"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace holdfast::sim {

namespace seam = holdfast::engine; // inside an engine, `engine` is the class

/// What the engine has said of one request, from its acquire to its end.
struct ticket_log {
    base::milliseconds margin{0};
    base::milliseconds lease{0};
    base::instant asked{};  ///< when the last acquire was sent
    base::instant queued{}; ///< when the last request was sent that was answered `queued`
    /// P2: valid() must be false from then on, by what the engine has granted so far.
    base::instant bound = base::instant::min();
    base::instant renewed{}; ///< when the last renewal was sent that succeeded
    bool uncertain = false;  ///< an acquire had no answer: it may have had an effect
    bool ended = false;      ///< the engine has confirmed that nothing is left of it
};

/// Thread safety: none.
class seam_recorder final : public seam::engine, private seam::sink {
public:
    seam_recorder(std::unique_ptr<seam::engine> real, const base::time_source& time,
                  std::string label, const sim_time& true_now, timeline& timeline);

    /// Before its first acquire. A margin of 0 is the default.
    void add_ticket(std::uint64_t number, base::milliseconds margin) {
        tickets_[number].margin = margin;
    }
    [[nodiscard]] const ticket_log& ticket(std::uint64_t number) { return tickets_[number]; }
    void forget(std::uint64_t number) { tickets_.erase(number); }
    /// When the engine wants to be driven next.
    [[nodiscard]] base::instant due() const noexcept { return due_; }

    [[nodiscard]] seam::capabilities caps(primitive kind) const override {
        return real_->caps(kind);
    }
    [[nodiscard]] seam::capabilities caps_in(primitive kind,
                                             const seam::lock_format& format) const override {
        return real_->caps_in(kind, format);
    }
    void attach(sink& target) override;
    void submit(seam::op_id id, const seam::op& operation, base::instant give_up) override;
    void cancel(seam::op_id id) override { real_->cancel(id); }
    void pollables(std::vector<pollfd>& out) const override { real_->pollables(out); }
    base::instant drive(std::span<const pollfd> ready, base::instant now) override {
        return due_ = real_->drive(ready, now);
    }
    [[nodiscard]] std::size_t replies_in_flight() const override {
        return real_->replies_in_flight();
    }
    void reset() noexcept override { real_->reset(); }

private:
    enum class request_kind : std::uint8_t { acquire, beat, end, other };
    struct beat_item {
        std::uint64_t number = 0;
        bool waiting = false;
        base::milliseconds lease{0};
    };
    struct sent_request {
        request_kind kind{};
        std::uint64_t number = 0;
        base::instant sent{};
        std::vector<beat_item> items{};
    };

    void answered(seam::answer&& answer) override;
    void noticed(const seam::notice& notice) override;
    [[nodiscard]] base::instant now() const noexcept override { return out_->now(); }

    void note_request(seam::op_id id, const seam::op& operation);
    void note_acquire_answer(const sent_request& request, const seam::answer& answer);
    void note_beat_answer(const sent_request& request, const seam::answer& answer);
    /// The engine grants `lease` from `sent` on.
    static void raise_bound(ticket_log& log, base::instant sent, base::milliseconds lease);
    static void raise_bound_by_hand_off(ticket_log& log);

    std::unique_ptr<seam::engine> real_;
    const base::time_source& time_;
    std::string label_;
    const sim_time& true_now_;
    timeline& timeline_;
    sink* out_ = nullptr;
    base::instant due_ = base::never;
    std::map<seam::op_id, sent_request> requests_;
    std::unordered_map<std::uint64_t, ticket_log> tickets_;
};

/// For timelines.
[[nodiscard]] std::string describe(const seam::op& operation);
[[nodiscard]] std::string describe(const seam::answer& answer);
[[nodiscard]] const char* word_of(seam::op_status status) noexcept;

} // namespace holdfast::sim
