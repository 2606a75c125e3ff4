// The whole client over an engine that throws, as one does that gets no memory or no descriptors.

#include "holdfast/api/access.hpp"
#include "holdfast/core/client_core.hpp"
#include "support/background.hpp"
#include "support/timing.hpp"

#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <system_error>
#include <vector>

namespace holdfast::test {
namespace {

namespace seam = holdfast::engine;
using seam::op_status;

/// How the engine is now; shared by test and engine.
struct mood {
    std::atomic<bool> throws{false};
    std::atomic<bool> free{true};
    std::atomic<int> asked{0};
    std::atomic<int> resets{0};
};

/// Grants everything, or queues it.
class throwing_engine final : public seam::engine {
public:
    explicit throwing_engine(std::shared_ptr<mood> now) : mood_{std::move(now)} {}

    [[nodiscard]] seam::capabilities caps(primitive /*kind*/) const override {
        return {.supported = true, .queue = seam::queueing::grant, .fencing = true};
    }
    void attach(seam::sink& to) override { to_ = &to; }
    void cancel(seam::op_id /*id*/) override {}
    void pollables(std::vector<pollfd>& /*out*/) const override {}
    void submit(seam::op_id id, const seam::op& operation, base::instant /*give_up*/) override {
        ++mood_->asked;
        if (mood_->throws) {
            throw std::system_error{EMFILE, std::generic_category(), "a descriptor"};
        }
        seam::answer out;
        out.id = id;
        out.token = 7;
        out.status = mood_->free ? op_status::granted : op_status::queued;
        if (const auto* const beat = std::get_if<seam::beat_op>(&operation)) {
            for (const auto& item : beat->items) {
                out.beats.push_back(
                    {item.ticket, item.waiting ? out.status : op_status::renewed, 7});
            }
        } else if (!std::holds_alternative<seam::acquire_op>(operation)) {
            out.status = op_status::released;
        }
        to_->answered(std::move(out));
    }
    base::instant drive(std::span<const pollfd> /*ready*/, base::instant /*now*/) override {
        return base::never;
    }
    void reset() noexcept override { ++mood_->resets; }

private:
    std::shared_ptr<mood> mood_;
    seam::sink* to_ = nullptr;
};

class throwing : public testing::Test {
protected:
    std::shared_ptr<mood> now_ = std::make_shared<mood>();
    std::shared_ptr<core::client_core> core_ = std::make_shared<core::client_core>(
        std::make_unique<throwing_engine>(now_), seam::this_process(),
        client_options{.connect_wait = 2s});

    core::acquire_result acquire(detail::wait_limit wait = detail::wait_limit::unlimited()) {
        return core_->acquire({.name = "stock"}, wait, {});
    }
};

TEST_F(throwing, is_tried_again) {
    now_->throws = true;
    background waiter{[&](const std::stop_token&) { return acquire().hold; }};
    ASSERT_TRUE(eventually([&] { return now_->resets > 0; }));
    now_->throws = false;
    auto got = waiter.get();
    ASSERT_TRUE(got);
    EXPECT_TRUE((detail::access::make_lease(core_, std::move(got)).valid()));
}

TEST_F(throwing, is_told_in_its_own_words) {
    now_->throws = true;
    const auto result = acquire(detail::wait_limit::from(150ms));
    EXPECT_FALSE(result.hold);
    EXPECT_EQ(result.failure, errc::unavailable);
    EXPECT_NE(result.detail.find("a descriptor"), std::string::npos) << result.detail;
}

TEST_F(throwing, costs_no_lease) {
    auto result = core_->acquire({.name = "stock", .options = {.lease = 4s}},
                                 detail::wait_limit::unlimited(), {});
    ASSERT_TRUE(result.hold);
    lease held = detail::access::make_lease(core_, std::move(result.hold));
    now_->throws = true;
    std::error_code failure;
    held.extend(4s, failure); // waits for a quarter of that
    EXPECT_EQ(failure, errc::unknown_outcome);
    EXPECT_TRUE(held.valid());
    now_->throws = false;
    held.extend(60s, failure);
    EXPECT_FALSE(failure) << failure;
    EXPECT_GT(held.remaining(), 40s);
    EXPECT_EQ(held.release(), release_answer::released);
}

TEST_F(throwing, is_not_asked_all_the_time_by_those_who_wait) {
    now_->free = false;
    std::vector<std::unique_ptr<background<bool>>> waiters;
    for (int i = 0; i < 3; ++i) {
        waiters.push_back(std::make_unique<background<bool>>([&](const std::stop_token&) {
            return acquire(detail::wait_limit::from(long_wait)).hold != nullptr;
        }));
    }
    ASSERT_TRUE(eventually([&] { return now_->asked == 3; }));
    now_->throws = true;
    now_->asked = 0;
    // One that gives up tells the others, by the way, that notices may have been missed.
    static_cast<void>(acquire(detail::wait_limit::from(1ms)));
    std::this_thread::sleep_for(500ms);
    EXPECT_LT(now_->asked, 500);
    EXPECT_GT(now_->asked, 0);
    now_->free = true;
    now_->throws = false;
    for (auto& one : waiters) { EXPECT_TRUE(one->get()); }
}

} // namespace
} // namespace holdfast::test
