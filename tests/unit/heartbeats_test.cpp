// The batches of heartbeats: few requests per turn, and none shortens the time of another.

#include "holdfast/drive/heartbeats.hpp"

#include "unit/fake_engine.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::drive {
namespace {

using namespace std::chrono_literals;
using engine::op_status;
using lines = test::noting_participant::lines;

constexpr base::instant start{std::chrono::hours{1}};

/// A submitted batch: its names and its time-out.
struct batch {
    std::vector<std::string> names;
    base::duration give_up_in{};
    bool operator==(const batch&) const = default;
};

class heartbeat_batches : public testing::Test {
protected:
    heartbeat_request request(const std::string& name, base::duration useful_for) {
        heartbeat_request out{participant_, {}, start + useful_for};
        out.item.ticket.name = name;
        return out;
    }
    /// Requests all heartbeats in one turn: name, and how long an answer is useful.
    std::vector<batch> send(const std::vector<std::pair<std::string, base::duration>>& all,
                            const std::map<std::string, layout>& layouts = {}) {
        for (const auto& [name, useful_for] : all) {
            auto made = request(name, useful_for);
            if (layouts.contains(name)) { made.item.ticket.format.layout = layouts.at(name); }
            heartbeats_.add(std::move(made));
        }
        auto pending = heartbeats_.take_pending();
        std::vector<batch> sent;
        for (std::span rest{pending}; !rest.empty();) {
            const auto started = heartbeats_.start(rest, ++last_id_, start);
            batch seen{{}, started.give_up - start};
            for (const auto& item : std::get<engine::beat_op>(started.operation).items) {
                seen.names.push_back(item.ticket.name);
            }
            EXPECT_EQ(seen.names.size(), started.count);
            sent.push_back(std::move(seen));
            rest = rest.subspan(started.count);
        }
        return sent;
    }

    std::shared_ptr<test::noting_participant> participant_ =
        std::make_shared<test::noting_participant>();
    heartbeats heartbeats_;
    engine::op_id last_id_ = 0;
};

TEST_F(heartbeat_batches, contain_requests_with_similar_deadlines) {
    const auto sent = send({{"a", 300ms}, {"b", 200ms}, {"c", 400ms}});
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0], (batch{{"a", "b", "c"}, 200ms}));
    EXPECT_EQ(heartbeats_.in_flight(), 1U);
    EXPECT_FALSE(heartbeats_.pending());
}

TEST_F(heartbeat_batches, separate_short_leases_from_long_ones) {
    const auto sent = send({{"long", 9s}, {"short", 30ms}, {"longer", 10s}, {"as short", 31ms}});
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0], (batch{{"short", "as short"}, 30ms})) << "the urgent ones go first";
    EXPECT_EQ(sent[1], (batch{{"long", "longer"}, 9s}));
}

TEST_F(heartbeat_batches, contain_requests_that_are_late) {
    const auto sent = send({{"late", -5ms}, {"now", 0ms}, {"soon", 50ms}});
    std::size_t names = 0;
    for (const auto& batch : sent) { names += batch.names.size(); }
    EXPECT_EQ(names, 3U);
}

TEST_F(heartbeat_batches, contain_one_lock_format_each) {
    const auto sent = send({{"a", 200ms}, {"b", 200ms}, {"c", 200ms}}, {{"b", layout::plain}});
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].names, (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(sent[1].names, (std::vector<std::string>{"b"}));
}

TEST_F(heartbeat_batches, have_a_maximum_size) {
    std::vector<std::pair<std::string, base::duration>> many;
    for (std::size_t i = 0; i < engine::max_beat_items + 1; ++i) {
        many.emplace_back(std::to_string(i), 200ms);
    }
    const auto sent = send(many);
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].names.size(), engine::max_beat_items);
    EXPECT_EQ(sent[1].names.size(), 1U);
}

TEST_F(heartbeat_batches, are_completed_once_by_their_answer) {
    send({{"a", 200ms}, {"b", 200ms}});
    engine::answer answer;
    answer.id = 1;
    answer.beats.resize(2);
    answer.beats[0].status = op_status::renewed;
    answer.beats[1].status = op_status::granted;
    heartbeats_.complete(answer, start);
    heartbeats_.complete(answer, start);
    EXPECT_EQ(participant_->take(), (lines{"beat of 0: renewed", "beat of 0: granted"}));
    EXPECT_EQ(heartbeats_.in_flight(), 0U);
    EXPECT_EQ(participant_.use_count(), 1) << "nothing is kept";
}

TEST_F(heartbeat_batches, are_unknown_when_the_engine_has_lost_them) {
    send({{"a", 200ms}});
    send({{"b", 200ms}});
    send({{"c", 200ms}});
    heartbeats_.fail_up_to(2, {}, start);
    EXPECT_EQ(participant_->take(), (lines{"beat of 0: unknown", "beat of 0: unknown"}));
    EXPECT_EQ(heartbeats_.in_flight(), 1U);
}

} // namespace
} // namespace holdfast::drive
