// Renewals and heartbeats of one turn go out in few requests, but none is cut short by another.

#include "holdfast/drive/driver.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::drive {
namespace {

using namespace std::chrono_literals;
using base::instant;
namespace seam = holdfast::engine;

constexpr instant start{std::chrono::hours{1}};

class still_clock final : public base::time_source {
public:
    [[nodiscard]] instant now() const noexcept override { return start; }
    [[nodiscard]] std::int64_t wall_us() const noexcept override { return 0; }
};

/// What was submitted: names, and until when.
struct batch {
    std::vector<std::string> names;
    base::duration give_up_in{};
    bool operator==(const batch&) const = default;
};

class noting_engine final : public seam::engine {
public:
    explicit noting_engine(std::vector<batch>& to) : to_{to} {}
    [[nodiscard]] seam::capabilities caps(primitive /*kind*/) const override { return {}; }
    void attach(seam::sink& to) override { sink_ = &to; }
    void cancel(seam::op_id /*id*/) override {}
    void pollables(std::vector<pollfd>& /*out*/) const override {}
    instant drive(std::span<const pollfd> /*ready*/, instant /*now*/) override {
        return base::never;
    }
    void submit(seam::op_id id, const seam::op& operation, instant give_up) override {
        batch seen{{}, give_up - start};
        for (const auto& item : std::get<seam::beat_op>(operation).items) {
            seen.names.push_back(item.ticket.name);
        }
        to_.push_back(std::move(seen));
        seam::answer done;
        done.id = id;
        sink_->answered(std::move(done));
    }

private:
    std::vector<batch>& to_;
    seam::sink* sink_ = nullptr;
};

class nobody final : public participant {
public:
    void on_timer(instant /*now*/) override {}
    void on_answer(purpose /*of*/, const seam::answer& /*what*/, instant /*sent*/,
                   instant /*now*/) override {}
};

class driver_beats : public testing::Test {
protected:
    /// Asks for all of them in one turn: name, and for how long an answer is of use.
    std::vector<batch> send(const std::vector<std::pair<std::string, base::duration>>& all,
                            const std::map<std::string, layout>& layouts = {}) {
        std::vector<batch> sent;
        driver driving{std::make_unique<noting_engine>(sent), clock_};
        {
            const driver::turn mine{driving};
            for (const auto& [name, useful_for] : all) {
                seam::beat_op::item item;
                item.ticket.name = name;
                if (layouts.contains(name)) { item.ticket.format.layout = layouts.at(name); }
                driving.beat(
                    *who_, item.lease, [&] { return item; }, start + useful_for);
            }
        }
        return sent;
    }

    still_clock clock_;
    std::shared_ptr<nobody> who_ = std::make_shared<nobody>();
};

TEST_F(driver_beats, that_may_take_about_as_long_go_out_together) {
    const auto sent = send({{"a", 300ms}, {"b", 200ms}, {"c", 400ms}});
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0], (batch{{"a", "b", "c"}, 200ms}));
}

TEST_F(driver_beats, of_a_short_lease_do_not_cut_those_of_long_ones) {
    const auto sent = send({{"long", 9s}, {"short", 30ms}, {"longer", 10s}, {"as short", 31ms}});
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0], (batch{{"short", "as short"}, 30ms})) << "the urgent ones go first";
    EXPECT_EQ(sent[1], (batch{{"long", "longer"}, 9s}));
}

TEST_F(driver_beats, that_are_of_no_use_any_more_go_out_all_the_same) {
    const auto sent = send({{"late", -5ms}, {"now", 0ms}, {"soon", 50ms}});
    std::size_t names = 0;
    for (const auto& one : sent) { names += one.names.size(); }
    EXPECT_EQ(names, 3U);
}

TEST_F(driver_beats, are_of_one_layout_per_request) {
    const auto sent = send({{"a", 200ms}, {"b", 200ms}, {"c", 200ms}}, {{"b", layout::plain}});
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].names, (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(sent[1].names, (std::vector<std::string>{"b"}));
}

TEST_F(driver_beats, are_at_most_so_many_per_request) {
    std::vector<std::pair<std::string, base::duration>> many;
    for (std::size_t i = 0; i < seam::most_beats + 1; ++i) {
        many.emplace_back(std::to_string(i), 200ms);
    }
    const auto sent = send(many);
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].names.size(), seam::most_beats);
    EXPECT_EQ(sent[1].names.size(), 1U);
}

} // namespace
} // namespace holdfast::drive
