// Which releases may wait for a moment, so as to be sent together with the next request: those of
// locks that hardly anybody can be waiting for.

#include "holdfast/api/access.hpp"
#include "holdfast/core/client_core.hpp"

#include <holdfast/lease.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
namespace seam = holdfast::engine;
using seam::op_status;

/// Grants whatever is asked for, at once or by a hand-off, and notes how it is released.
class granting_engine final : public seam::engine {
public:
    struct notes {
        bool hands_off = false;
        bool awaited = false;
        bool can_wait = false;
    };

    explicit granting_engine(notes& to) : notes_{to} {}

    [[nodiscard]] seam::capabilities caps(primitive /*kind*/) const override {
        return {.supported = true, .queue = seam::queueing::grant, .fencing = true};
    }
    void attach(seam::sink& to) override { to_ = &to; }
    void cancel(seam::op_id /*id*/) override {}
    void pollables(std::vector<pollfd>& /*out*/) const override {}
    base::instant drive(std::span<const pollfd> /*ready*/, base::instant /*now*/) override {
        return base::never;
    }

    void submit(seam::op_id id, const seam::op& operation, base::instant /*give_up*/) override {
        seam::answer out;
        out.id = id;
        out.status = op_status::released;
        out.token = ++token_;
        const auto* const asked = std::get_if<seam::acquire_op>(&operation);
        if (asked != nullptr) {
            out.status = notes_.hands_off ? op_status::queued : op_status::granted;
        }
        if (const auto* const given = std::get_if<seam::release_op>(&operation)) {
            notes_.awaited = given->awaited;
            notes_.can_wait = given->can_wait;
        }
        if (const auto* const beat = std::get_if<seam::beat_op>(&operation)) {
            for (const auto& item : beat->items) {
                out.beats.emplace_back().ticket = item.ticket;
                out.beats.back().status = op_status::renewed;
            }
        }
        to_->answered(std::move(out));
        if (asked != nullptr && notes_.hands_off) {
            to_->noticed({seam::notice::kind::granted, asked->ticket.owner.number, token_});
        }
    }

private:
    notes& notes_;
    seam::sink* to_ = nullptr;
    std::uint64_t token_ = 0;
};

class patient_release : public testing::Test {
protected:
    std::shared_ptr<core::client_core> connect(bool pipelined = true) {
        return std::make_shared<core::client_core>(std::make_unique<granting_engine>(seen_),
                                                   seam::this_process(),
                                                   client_options{.pipeline_release = pipelined});
    }
    static lease take(const std::shared_ptr<core::client_core>& by) {
        auto result = by->acquire({.name = "stock"}, detail::wait_limit::unlimited(), {});
        EXPECT_TRUE(result.hold) << result.failure.message();
        return detail::access::make_lease(by, std::move(result.hold));
    }
    /// Whether one of many releases that follow at once could wait: a busy machine may keep this
    /// thread from following.
    bool can_wait(const std::shared_ptr<core::client_core>& with) {
        for (int i = 0; i < 1000; ++i) {
            seen_.can_wait = false;
            { const auto held = take(with); }
            if (seen_.can_wait) { return true; }
        }
        return false;
    }

    granting_engine::notes seen_;
};

TEST_F(patient_release, of_what_was_free_and_is_released_at_once) {
    EXPECT_TRUE(can_wait(connect()));
    EXPECT_FALSE(seen_.awaited);
}

TEST_F(patient_release, is_none_if_its_caller_waits_for_the_answer) {
    EXPECT_FALSE(can_wait(connect(false)));
    EXPECT_TRUE(seen_.awaited);
    auto held = take(connect());
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_FALSE(seen_.can_wait);
}

TEST_F(patient_release, is_none_of_what_was_handed_over) {
    seen_.hands_off = true;
    EXPECT_FALSE(can_wait(connect())) << "there was a queue, and may still be";
}

TEST_F(patient_release, is_none_of_what_was_held_for_longer) {
    const auto with = connect();
    for (int i = 0; i < 20; ++i) {
        const auto held = take(with);
        std::this_thread::sleep_for(2ms);
    }
    EXPECT_FALSE(seen_.can_wait);
}

} // namespace
} // namespace holdfast::test
