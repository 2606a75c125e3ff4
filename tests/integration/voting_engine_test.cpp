// The whole client over an engine that has limits and doubts like a quorum.

#include "holdfast/api/access.hpp"
#include "holdfast/core/client_core.hpp"
#include "support/timing.hpp"

#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace holdfast::test {
namespace {

namespace seam = holdfast::engine;
using seam::op_status;

/// What the engine does, and what it was asked; shared by test and engine.
struct node_state {
    std::atomic<int> without_quorum{0}; ///< so many operations fail with no_quorum
    std::atomic<int> renewals{0};
    std::atomic<bool> doubts{false}; ///< the next operation brings a notice `doubtful`
    std::atomic<std::uint64_t> released_token{0};
    std::atomic<std::uint64_t> renewed_token{0};
    std::atomic<bool> reclaims{false}; ///< an item of a beat did
    std::atomic<bool> loses{false};    ///< renewals are answered lost, and nodes may have votes
    std::function<bool()> is_valid;    ///< of the lease, as its user sees it
    std::atomic<bool> released_while_valid{false};
};

/// Grants everything.
class voting_engine final : public seam::engine {
public:
    explicit voting_engine(std::shared_ptr<node_state> state) : state_{std::move(state)} {}

    [[nodiscard]] seam::capabilities caps(primitive /*kind*/) const override {
        return {.supported = true,
                .fencing = true,
                .readers_fence = false,
                .longest_lease = 60s,
                .longest_lease_option = "max_lease in the URL"};
    }
    void attach(seam::sink& to) override { to_ = &to; }
    void cancel(seam::op_id /*id*/) override {}
    void pollables(std::vector<pollfd>& /*out*/) const override {}
    void submit(seam::op_id id, const seam::op& operation, base::instant /*give_up*/) override {
        seam::answer out;
        out.id = id;
        out.token = 7;
        out.status = op_status::granted;
        if (const auto* const acquire = std::get_if<seam::acquire_op>(&operation)) {
            number_ = acquire->ticket.owner.number;
        } else if (const auto* const beat = std::get_if<seam::beat_op>(&operation)) {
            for (const auto& item : beat->items) {
                ++state_->renewals;
                state_->renewed_token = item.token;
                if (item.reclaim != nullptr) { state_->reclaims = true; }
                out.beats.push_back({item.ticket, op_status::renewed, 7});
                if (state_->loses) {
                    out.beats.back().status = op_status::lost;
                    out.beats.back().error = errc::no_quorum;
                }
            }
        } else if (const auto* const release = std::get_if<seam::release_op>(&operation)) {
            state_->released_while_valid = state_->is_valid && state_->is_valid();
            state_->released_token = release->token;
            out.status = op_status::released;
        } else {
            out.status = op_status::released;
        }
        if (state_->without_quorum > 0) {
            --state_->without_quorum;
            out.status = op_status::failed;
            out.error = errc::no_quorum;
            out.detail = "a: yes, b: down, c: down";
        }
        to_->answered(std::move(out));
        if (state_->doubts.exchange(false)) {
            to_->noticed({seam::notice::kind::doubtful, number_, 0});
        }
    }
    base::instant drive(std::span<const pollfd> /*ready*/, base::instant /*now*/) override {
        return base::never;
    }
    void reset() noexcept override {}

private:
    std::shared_ptr<node_state> state_;
    seam::sink* to_ = nullptr;
    std::uint64_t number_ = 0;
};

class voting : public testing::Test {
protected:
    std::shared_ptr<node_state> state_ = std::make_shared<node_state>();
    std::shared_ptr<core::client_core> core_ = std::make_shared<core::client_core>(
        std::make_unique<voting_engine>(state_), seam::this_process(),
        client_options{.connect_wait = 2s});

    core::acquire_result acquire(detail::wait_limit wait = detail::wait_limit::unlimited(),
                                 mode mode = mode::exclusive) {
        core::lock_request request{.name = "stock", .kind = primitive::shared_mutex, .mode = mode};
        return core_->acquire(request, wait, {});
    }
    lease take(mode mode = mode::exclusive) {
        auto result = acquire(detail::wait_limit::unlimited(), mode);
        EXPECT_TRUE(result.hold) << result.detail;
        return detail::access::make_lease(core_, std::move(result.hold));
    }
    template <class Action>
    static std::string complaint_of(Action action) {
        try {
            action();
        } catch (const error& thrown) { return thrown.what(); }
        return "no error";
    }
};

TEST_F(voting, an_acquire_without_a_quorum_is_tried_again) {
    state_->without_quorum = 2;
    EXPECT_TRUE(take().valid());
    EXPECT_EQ(state_->without_quorum, 0);
}

TEST_F(voting, a_wait_without_a_quorum_fails_with_each_nodes_vote) {
    state_->without_quorum = 1'000'000;
    const auto result = acquire(detail::wait_limit::from(100ms));
    EXPECT_FALSE(result.hold);
    EXPECT_EQ(result.failure, errc::no_quorum);
    EXPECT_NE(result.detail.find("a: yes, b: down"), std::string::npos) << result.detail;
    state_->without_quorum = 0;
}

TEST_F(voting, a_release_without_a_quorum_is_tried_again) {
    auto held = take();
    state_->without_quorum = 2;
    EXPECT_EQ(held.release(), release_answer::released);
}

TEST_F(voting, a_lost_hold_gives_its_votes_back_when_it_is_not_valid_any_more) { // P1, P7
    auto held = take();
    state_->is_valid = [&] { return held.valid(); };
    state_->loses = true;
    std::error_code failure;
    held.extend(10s, failure);
    EXPECT_EQ(failure, errc::lost);
    EXPECT_TRUE(eventually([&] { return state_->released_token == 7; })) << "it releases its votes";
    EXPECT_FALSE(held.valid());
    EXPECT_FALSE(state_->released_while_valid) << "another could get them";
}

TEST_F(voting, a_doubtful_hold_is_renewed_at_once) {
    const auto held = take();
    const auto other = take();
    EXPECT_EQ(state_->renewals, 0);
    state_->doubts = true;
    {
        const auto third = take(); // with its answer the notice comes; it is the third's
        EXPECT_TRUE(eventually([&] { return state_->renewals == 1; }));
        EXPECT_TRUE(third.valid());
    }
    EXPECT_TRUE(held.valid());
    EXPECT_EQ(state_->renewals, 1) << "the others are not in doubt";
}

TEST_F(voting, renewals_and_releases_carry_the_token) {
    auto held = take();
    held.extend(20s);
    EXPECT_EQ(state_->renewed_token, 7U);
    EXPECT_FALSE(state_->reclaims) << "only the quorum engine asks for that";
    held.release();
    EXPECT_EQ(state_->released_token, 7U);
}

TEST_F(voting, a_lease_above_the_longest_is_refused) {
    const core::lock_request request{.name = "stock", .options = {.lease = 90s}};
    const auto text =
        complaint_of([&] { core::check_request(request, core_->caps(primitive::mutex, {})); });
    EXPECT_EQ(text, "lease is 90000 ms; the longest is 60000 ms: max_lease in the URL");
    auto held = take();
    EXPECT_EQ(complaint_of([&] { held.extend(90s); }),
              "lease is 90000 ms; the longest is 60000 ms: max_lease in the URL");
    std::error_code failure;
    held.extend(90s, failure);
    EXPECT_EQ(failure, errc::invalid_option);
    EXPECT_EQ(state_->renewals, 0);
    held.extend(60s);
}

TEST_F(voting, readers_have_no_token_where_it_does_not_fence) {
    const auto reader = take(mode::shared);
    EXPECT_NE(complaint_of([&] { (void)reader.token(); }).find("readers do not fence"),
              std::string::npos);
    const auto writer = take();
    EXPECT_EQ(writer.token(), 7U);
}

} // namespace
} // namespace holdfast::test
