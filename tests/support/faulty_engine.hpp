#pragma once
// A real engine behind a bad connection: requests are lost or late, and answers are lost after the
// operation was done.

#include "holdfast/engine/engine.hpp"

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace holdfast::test {

namespace seam = holdfast::engine; // inside an engine, `engine` is the class

/// The state of the connection; the test and the engine share it.
class faults {
public:
    /// Requests are held back until thaw(), and answered `unknown` at their give_up; notices are
    /// lost.
    void freeze() { frozen_ = true; }
    /// Requests pass again; those that were held back arrive now.
    void thaw() { frozen_ = false; }
    /// The next `count` requests are carried out, but their answers are lost.
    void lose_answers(int count) { answers_to_lose_ = count; }

    [[nodiscard]] bool frozen() const { return frozen_; }
    [[nodiscard]] bool take_lost_answer() {
        int left = answers_to_lose_;
        while (left > 0) {
            if (answers_to_lose_.compare_exchange_weak(left, left - 1)) { return true; }
        }
        return false;
    }

    std::atomic<std::size_t> submitted{0};
    std::atomic<std::size_t> largest_batch{0};
    std::atomic<std::size_t> batches{0};
    std::atomic<std::size_t> lost_notices{0};

private:
    std::atomic<bool> frozen_{false};
    std::atomic<int> answers_to_lose_{0};
};

class faulty_engine final : public seam::engine, private seam::sink {
public:
    faulty_engine(std::unique_ptr<seam::engine> real, std::shared_ptr<faults> faults);

    [[nodiscard]] seam::capabilities caps(primitive kind) const override;
    void attach(sink& target) override;
    void submit(seam::op_id id, const seam::op& operation, base::instant give_up) override;
    void cancel(seam::op_id id) override;
    void pollables(std::vector<pollfd>& out) const override;
    base::instant drive(std::span<const pollfd> ready, base::instant now) override;

private:
    struct delayed_request {
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
    std::deque<delayed_request> delayed_;
    bool drops_answer_ = false; ///< it was answered `unknown` before
};

} // namespace holdfast::test
