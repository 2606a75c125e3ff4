// The whole client over an engine that says things in an unlucky order.

#include "holdfast/api/access.hpp"
#include "holdfast/core/client_core.hpp"

#include <holdfast/lease.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
namespace seam = holdfast::engine;
using seam::op_status;

/// Queues whoever asks, hands the lock over while the waiter's heartbeat is on its way, answers
/// that heartbeat late, and then breaks the lock.
class unlucky_engine final : public seam::engine {
public:
    [[nodiscard]] seam::capabilities caps(primitive /*kind*/) const override {
        return {.supported = true, .queue = seam::queueing::grant, .fencing = true};
    }
    void attach(seam::sink& to) override { to_ = &to; }
    void cancel(seam::op_id /*id*/) override {}
    void pollables(std::vector<pollfd>& /*out*/) const override {}

    void submit(seam::op_id id, const seam::op& operation, base::instant /*give_up*/) override {
        if (const auto* ask = std::get_if<seam::acquire_op>(&operation)) {
            number_ = ask->ticket.owner.number;
            say(id, op_status::queued);
        } else if (const auto* beat = std::get_if<seam::beat_op>(&operation)) {
            beat->items.front().waiting ? hand_over(id) : renew(id, beat->items.front());
        } else {
            say(id, op_status::released);
        }
    }
    base::instant drive(std::span<const pollfd> /*ready*/, base::instant now) override {
        if (now < break_at_) { return break_at_; }
        break_at_ = base::never;
        to_->noticed({seam::notice::kind::broken, number_, token});
        return base::never;
    }

private:
    static constexpr std::uint64_t token = 7;

    void say(seam::op_id id, op_status status) {
        seam::answer out;
        out.id = id;
        out.status = status;
        out.check_in = 1ms; // so that the heartbeat comes soon
        to_->answered(std::move(out));
    }
    void say_beat(seam::op_id id, const seam::beat_op::item& item, op_status status) {
        seam::answer out;
        out.id = id;
        out.beats.emplace_back().ticket = item.ticket;
        out.beats.back().status = status;
        to_->answered(std::move(out));
    }
    void hand_over(seam::op_id id) {
        late_ = id;
        to_->noticed({seam::notice::kind::granted, number_, token});
    }
    void renew(seam::op_id id, const seam::beat_op::item& item) {
        say_beat(std::exchange(late_, 0), item, op_status::queued);
        say_beat(id, item, op_status::renewed);
        break_at_ = base::boot_clock::now() + 20ms;
    }

    seam::sink* to_ = nullptr;
    std::uint64_t number_ = 0;
    seam::op_id late_ = 0;
    base::instant break_at_ = base::never;
};

TEST(late_answer, p2_to_a_waiter_does_not_keep_its_hold_from_hearing_that_it_was_broken) {
    const auto core = std::make_shared<core::client_core>(std::make_unique<unlucky_engine>(),
                                                          seam::this_process(), client_options{});
    auto result = core->acquire({.name = "stock"}, detail::wait_limit::unlimited(), {});
    ASSERT_TRUE(result.hold) << result.failure.message();
    const lease held = detail::access::make_lease(core, std::move(result.hold));

    std::mutex guard;
    std::condition_variable told;
    bool lost = false;
    const std::stop_callback when_lost{held.lost(), [&] {
                                           const std::lock_guard lock{guard};
                                           lost = true;
                                           told.notify_all();
                                       }};
    std::unique_lock lock{guard};
    EXPECT_TRUE(told.wait_for(lock, 5s, [&] { return lost; }))
        << "only at the next renewal, in 10 s";
    EXPECT_EQ(held.why_lost(), loss::taken);
}

} // namespace
} // namespace holdfast::test
