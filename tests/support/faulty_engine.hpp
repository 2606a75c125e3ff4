#pragma once
// A real engine behind a bad connection: requests that do not arrive, or arrive late, and answers
// that are lost after the deed was done.

#include "holdfast/engine/engine.hpp"

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace holdfast::test {

namespace seam = holdfast::engine; // inside an engine, `engine` is the class

/// How the connection is now; shared by test and engine.
class faults {
public:
    /// Requests get no further until thaw(), and are answered `unknown` when their time is up;
    /// notices are lost.
    void freeze() { frozen_ = true; }
    /// Requests go through again; those of the time before arrive now, late as they are.
    void thaw() { frozen_ = false; }
    /// The next `count` requests are carried out, but their answers are lost.
    void lose_answers(int count) { lose_ = count; }

    [[nodiscard]] bool frozen() const { return frozen_; }
    [[nodiscard]] bool loses_this() {
        int left = lose_;
        while (left > 0) {
            if (lose_.compare_exchange_weak(left, left - 1)) { return true; }
        }
        return false;
    }

    std::atomic<std::size_t> submitted{0};
    std::atomic<std::size_t> largest_batch{0};
    std::atomic<std::size_t> batches{0};
    std::atomic<std::size_t> lost_notices{0};

private:
    std::atomic<bool> frozen_{false};
    std::atomic<int> lose_{0};
};

class faulty_engine final : public seam::engine, private seam::sink {
public:
    faulty_engine(std::unique_ptr<seam::engine> real, std::shared_ptr<faults> faults);

    [[nodiscard]] seam::capabilities caps(primitive kind) const override;
    void attach(sink& to) override;
    void submit(seam::op_id id, const seam::op& operation, base::instant give_up) override;
    void cancel(seam::op_id id) override;
    void pollables(std::vector<pollfd>& out) const override;
    base::instant drive(std::span<const pollfd> ready, base::instant now) override;

private:
    struct held_up {
        seam::op_id id;
        seam::op operation;
        base::instant give_up;
        bool answered = false;
    };

    void answered(seam::answer&& answer) override;
    void noticed(const seam::notice& notice) override;

    std::unique_ptr<seam::engine> real_;
    std::shared_ptr<faults> faults_;
    sink* out_ = nullptr;
    std::deque<held_up> waiting_;
    bool swallow_ = false; ///< nobody waits for the answer that comes now
};

} // namespace holdfast::test
