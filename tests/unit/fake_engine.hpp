#pragma once
// An engine that the test controls, a participant that records its calls, and a clock that the test
// sets.

#include "holdfast/drive/participant.hpp"
#include "holdfast/engine/engine.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

namespace seam = holdfast::engine; // inside an engine, `engine` is the class

class set_clock final : public base::time_source {
public:
    [[nodiscard]] base::instant now() const noexcept override { return at; }
    [[nodiscard]] std::int64_t wall_us() const noexcept override { return 0; }

    base::instant at{std::chrono::hours{1}};
};

/// The state of a fake_engine: what it has received, and what it does.
struct fake_state {
    struct submission {
        seam::op_id id = 0;
        seam::op operation;
        base::instant give_up{};
    };

    void answer(seam::op_id id, seam::op_status status) const {
        seam::answer out;
        out.id = id;
        out.status = status;
        sink->answered(std::move(out));
    }
    void notice(seam::notice::kind type, std::uint64_t number) const {
        sink->noticed({type, number, 0});
    }

    seam::sink* sink = nullptr;
    std::vector<submission> submitted;
    std::vector<pollfd> pollables;
    std::function<void(seam::op_id)> on_submit = [](seam::op_id) {};
    std::function<void(std::span<const pollfd>)> on_drive = [](std::span<const pollfd>) {};
    base::instant due = base::never;
    int drives = 0;
    int resets = 0;
};

class fake_engine final : public seam::engine {
public:
    explicit fake_engine(fake_state& state) : state_{state} {}

    [[nodiscard]] seam::capabilities caps(primitive /*kind*/) const override { return {}; }
    void attach(seam::sink& sink) override { state_.sink = &sink; }
    void cancel(seam::op_id /*id*/) override {}
    void pollables(std::vector<pollfd>& out) const override {
        out.insert(out.end(), state_.pollables.begin(), state_.pollables.end());
    }
    void submit(seam::op_id id, const seam::op& operation, base::instant give_up) override {
        state_.submitted.push_back({id, operation, give_up});
        state_.on_submit(id);
    }
    base::instant drive(std::span<const pollfd> ready, base::instant /*now*/) override {
        ++state_.drives;
        state_.on_drive(ready);
        return state_.due;
    }
    void reset() noexcept override { ++state_.resets; }

private:
    fake_state& state_;
};

/// Records each call as a line of text.
class noting_participant final : public drive::participant {
public:
    void on_timer(base::instant /*now*/) override { note("timer"); }
    void on_answer(drive::purpose purpose, const seam::answer& answer, base::instant /*sent*/,
                   base::instant /*now*/) override {
        refuse_if_told();
        note("answer to " + name_of(purpose) + ": " + name_of(answer.status));
        detail = answer.detail;
    }
    void on_beat(const seam::beat_answer& answer, base::instant /*sent*/, base::milliseconds lease,
                 base::instant /*now*/) override {
        refuse_if_told();
        note("beat of " + std::to_string(lease.count()) + ": " + name_of(answer.status));
    }
    void on_notice(const seam::notice& notice, base::instant /*now*/) override {
        refuse_if_told();
        note("notice: " + name_of(notice.type));
    }
    void on_cancel(base::instant /*now*/) override { note("cancel"); }
    void on_shutdown() override { note("shutdown"); }

    using lines = std::vector<std::string>;
    [[nodiscard]] lines take() { return std::exchange(lines_, {}); }

    std::function<void()> on_call = [] {}; ///< after each note
    int throws = 0;                        ///< the number of calls that throw from now on
    std::string detail;

private:
    void note(std::string line) {
        lines_.push_back(std::move(line));
        on_call();
    }
    void refuse_if_told() {
        if (throws > 0) {
            --throws;
            throw std::bad_alloc{};
        }
    }
    static std::string name_of(drive::purpose purpose) {
        switch (purpose) {
        case drive::purpose::acquire: return "acquire";
        case drive::purpose::withdraw: return "withdraw";
        case drive::purpose::release: return "release";
        case drive::purpose::report: return "report";
        }
        return "?";
    }
    static std::string name_of(seam::op_status status) {
        switch (status) {
        case seam::op_status::granted: return "granted";
        case seam::op_status::renewed: return "renewed";
        case seam::op_status::released: return "released";
        case seam::op_status::unknown: return "unknown";
        case seam::op_status::failed: return "failed";
        default: return "other";
        }
    }
    static std::string name_of(seam::notice::kind type) {
        switch (type) {
        case seam::notice::kind::granted: return "granted";
        case seam::notice::kind::maybe_free: return "maybe_free";
        case seam::notice::kind::broken: return "broken";
        case seam::notice::kind::inbox_reset: return "inbox_reset";
        case seam::notice::kind::doubtful: return "doubtful";
        }
        return "?";
    }

    lines lines_;
};

} // namespace holdfast::test
