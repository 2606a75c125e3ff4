#pragma once
// A quorum of three nodes whose every answer the test gives, in virtual time.

#include "holdfast/engine/quorum/quorum_engine.hpp"
#include "unit/fake_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace holdfast::test {

/// Nodes join as soon as they are asked to, unless `joins` says otherwise. All other requests wait
/// in `requests` until the test answers them.
class quorum_engine_fixture : public testing::Test, private seam::sink {
protected:
    static constexpr unsigned nodes = 3;
    static constexpr base::milliseconds lease{10'000};

    explicit quorum_engine_fixture(const seam::quorum::quorum_settings& options = {}) {
        std::vector<seam::quorum::quorum_node> members;
        for (unsigned node = 0; node < nodes; ++node) {
            states_[node].on_submit = [this, node](seam::op_id /*id*/) { on_submit(node); };
            members.push_back(
                {std::make_unique<fake_engine>(states_[node]), "node" + std::to_string(node)});
        }
        seam::client_identity identity;
        identity.time = &clock_;
        engine_ =
            std::make_unique<seam::quorum::quorum_engine>(std::move(members), options, identity);
        engine_->attach(*this);
    }

    /// A request that a node has not answered yet.
    struct request {
        seam::op_id id = 0;
        seam::op operation;
    };

    [[nodiscard]] static seam::ticket ticket(std::uint64_t number) {
        return {"stock", {{}, number}};
    }
    [[nodiscard]] static seam::acquire_op
    acquire_of(std::uint64_t number, seam::queueing queue = seam::queueing::listen) {
        seam::acquire_op out;
        out.ticket = ticket(number);
        out.lease = lease;
        out.queue = queue;
        return out;
    }

    seam::op_id submit(const seam::op& operation) {
        engine_->submit(++last_id_, operation, clock_.at + base::milliseconds{5000});
        drive();
        return last_id_;
    }
    void drive() { engine_->drive({}, clock_.at); }
    void advance(base::duration time) {
        clock_.at += time;
        drive();
    }

    /// Removes the first request of this type that a node has not answered; the test fails if there
    /// is none.
    template <class Op>
    request take(unsigned node) {
        auto& open = requests_[node];
        for (auto each = open.begin(); each != open.end(); ++each) {
            if (!std::holds_alternative<Op>(each->operation)) { continue; }
            auto out = *each;
            open.erase(each);
            return out;
        }
        ADD_FAILURE() << "node " << node << " has no such request";
        return {};
    }
    template <class Op>
    [[nodiscard]] std::size_t count(unsigned node) const {
        return static_cast<std::size_t>(
            std::count_if(requests_[node].begin(), requests_[node].end(), [](const request& each) {
                return std::holds_alternative<Op>(each.operation);
            }));
    }
    /// Answers the first request of this type.
    template <class Op>
    void answer(unsigned node, seam::op_status status, bool ticket_ended = false) {
        const auto asked = take<Op>(node);
        seam::answer out;
        out.id = asked.id;
        out.status = status;
        out.ticket_ended = ticket_ended;
        if (const auto* const acquire = std::get_if<seam::acquire_op>(&asked.operation)) {
            out.token = status == seam::op_status::granted ? acquire->proposed_token : 0;
        }
        if (const auto* const beat = std::get_if<seam::beat_op>(&asked.operation)) {
            for (const auto& item : beat->items) { out.beats.push_back({item.ticket, status}); }
        }
        states_[node].sink->answered(std::move(out));
        drive();
    }
    void answer_unknown(unsigned node, seam::op_id id) {
        states_[node].answer(id, seam::op_status::unknown);
        drive();
    }
    void notice(unsigned node, seam::notice::kind type, std::uint64_t number) {
        states_[node].notice(type, number);
        drive();
    }
    /// All nodes vote for it.
    void grant(std::uint64_t number) {
        submit(acquire_of(number));
        for (unsigned node = 0; node < nodes; ++node) {
            answer<seam::acquire_op>(node, seam::op_status::granted);
        }
        ASSERT_EQ(answers.back().status, seam::op_status::granted);
    }
    void beat(std::uint64_t number) {
        seam::beat_op operation;
        operation.items.push_back({.ticket = ticket(number), .lease = lease, .order = ++renewals_});
        submit(operation);
    }

    set_clock clock_;
    std::vector<seam::answer> answers; ///< to the client
    std::vector<seam::notice> notices;
    std::array<bool, nodes> joins{true, true, true}; ///< false: a join fails at once
    std::array<unsigned, nodes> join_count{};

private:
    void on_submit(unsigned node) {
        const auto& asked = states_[node].submitted.back();
        if (!std::holds_alternative<seam::join_op>(asked.operation)) {
            requests_[node].push_back({asked.id, asked.operation});
            return;
        }
        ++join_count[node];
        seam::answer out;
        out.id = asked.id;
        out.status = joins[node] ? seam::op_status::reported : seam::op_status::failed;
        if (joins[node]) {
            auto report = std::make_shared<seam::report>();
            report->node_id = 10 + node;
            out.report = std::move(report);
        } else {
            out.error = make_error_code(errc::unavailable);
        }
        states_[node].sink->answered(std::move(out));
    }
    void answered(seam::answer&& answer) override { answers.push_back(std::move(answer)); }
    void noticed(const seam::notice& notice) override { notices.push_back(notice); }

    std::array<fake_state, nodes> states_;
    std::array<std::vector<request>, nodes> requests_;
    std::unique_ptr<seam::quorum::quorum_engine> engine_;
    seam::op_id last_id_ = 0;
    std::uint64_t renewals_ = 0;
};

} // namespace holdfast::test
