// P1, P2, P3: connections fall behind, requests arrive late, out of order and twice, while several
// clients take locks with short leases; their history is checked. Eight seconds for all layouts, 20
// in a long run; HOLDFAST_LATE_SECONDS=600 makes it ten minutes, HOLDFAST_TEST_SEED repeats its
// chances.

#include "fault/random_taker.hpp"
#include "fault/redis_fixture.hpp"
#include "history/checker.hpp"
#include "history/parser.hpp"
#include "history/report.hpp"
#include "support/environment.hpp"
#include "support/scratch_folder.hpp"

#include <iostream>
#include <list>
#include <random>

namespace holdfast::test {
namespace {

struct layout_by_url {
    std::string name;
    std::string query;
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest's
void PrintTo(const layout_by_url& value, std::ostream* out) { *out << value.name; }

const std::vector<layout_by_url> all_layouts{{"native", "&layout=native"},
                                             {"plain", "&layout=plain"},
                                             {"plain_fenced", "&layout=plain&fencing=yes"},
                                             {"redisson", "&layout=redisson&fencing=yes"}};

class redis_late_delivery : public redis_fault, public testing::WithParamInterface<layout_by_url> {
protected:
    static constexpr std::size_t clients = 6;
    static constexpr std::size_t takers = 18; ///< some share a client, and so a connection

    [[nodiscard]] static milliseconds length() {
        return milliseconds{
            1000 * number_from_environment("HOLDFAST_LATE_SECONDS", by_run_length(8UL, 20UL)) /
            all_layouts.size()};
    }
    /// The findings of the checker.
    [[nodiscard]] std::string wrong() const {
        const history::check_options options{.loss_notice = 20ms + scaled(500ms),
                                             .loss_notice_after_stop = 100ms + scaled(500ms),
                                             .starvation_bound = 2 * long_wait};
        const auto all = history::parse_file(file_);
        if (!all.errors.empty()) { return "the history cannot be read"; }
        const auto found = history::check(all.events, options);
        return found.empty() ? std::string{} : history::describe(all.events, found);
    }

    const unsigned seed_ = seed_of_this_run();
    const scratch_folder folder_;
    const std::filesystem::path file_ = std::filesystem::path{folder_.path()} / "history";
    history::recorder events_{file_, "test"};
    random_taker::counts seen_;
};

INSTANTIATE_TEST_SUITE_P(layouts, redis_late_delivery, testing::ValuesIn(all_layouts),
                         [](const auto& value) { return value.param.name; });

TEST_P(redis_late_delivery, breaks_no_promise) { // P1, P2, P3
    std::cout << "HOLDFAST_TEST_SEED=" << seed_ << std::endl;
    std::list<client> fleet;
    for (std::size_t i = 0; i < clients; ++i) {
        fleet.emplace_back(between.url() + "?timeout=250&connect_timeout=1000" + GetParam().query,
                           client_options{.connect_wait = 3s});
        fleet.back().ping();
    }
    between.deliver_late({.seed = seed_,
                          .one_delayed_in = 12,
                          .one_repeated_in = 20,
                          .least = 100ms,
                          .most = scaled(1s)});
    {
        std::stop_source over;
        std::list<random_taker> all;
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < takers; ++i) {
            auto& taker = all.emplace_back(
                *std::next(fleet.begin(), static_cast<long>(i % clients)), events_, seen_,
                "taker-" + std::to_string(i), seed_ + static_cast<unsigned>(i));
            threads.emplace_back([&taker, stop = over.get_token()] { taker.run(stop); });
        }
        std::this_thread::sleep_for(length());
        over.request_stop();
    }
    between.heal();
    const auto counts = between.counts();
    std::cout << seen_.holds << " holds, " << seen_.extended << " extended, " << seen_.losses
              << " lost; " << seen_.failures << " acquires failed; " << counts.delayed
              << " connections late, " << counts.repeated << " requests twice" << std::endl;
    EXPECT_EQ(wrong(), "");
    EXPECT_GT(seen_.holds, by_run_length(2, 5));
    EXPECT_GT(seen_.extended, by_run_length(0, 1));
    EXPECT_GT(counts.delayed, by_run_length(2U, 5U));
    EXPECT_GT(counts.repeated, by_run_length(0U, 2U));
    // P7: holds of late requests end too.
    client after{server.url() + "?timeout=1000" + GetParam().query};
    for (const auto& name : random_taker::names) {
        EXPECT_TRUE((mutex{after, name}.try_acquire_for(long_wait))) << name;
    }
}

} // namespace
} // namespace holdfast::test
