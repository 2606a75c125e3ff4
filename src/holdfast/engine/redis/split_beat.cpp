#include "holdfast/engine/redis/split_beat.hpp"

#include <map>
#include <utility>

namespace holdfast::engine::redis {

class split_beat::part final : public answer_receiver {
public:
    part(std::shared_ptr<split_beat> whole, std::vector<std::size_t> items, bool again)
        : whole_{std::move(whole)}, items_{std::move(items)}, again_{again} {}

    void on_answer(const operation& done, answer&& answer) override {
        whole_->on_part(items_, std::move(answer));
        // A part of one item declares its key, so the server has said all that it can say.
        if (items_.size() > 1 && !again_) {
            for (const auto at : done.routing.elsewhere) { whole_->send_part({items_[at]}, true); }
        }
        whole_->finish_part();
    }

private:
    const std::shared_ptr<split_beat> whole_;
    const std::vector<std::size_t> items_;
    const bool again_;
};

split_beat::split_beat(operation_ref whole, beat_op op, part_submitter& parts,
                       base::instant give_up)
    : whole_{std::move(whole)},
      op_{std::move(op)},
      parts_{parts},
      give_up_{give_up},
      answers_(op_.items.size()) {
    for (std::size_t at = 0; at < op_.items.size(); ++at) {
        answers_[at].ticket = op_.items[at].ticket;
    }
}

void split_beat::send(const node_finder& find) {
    std::map<const node*, std::vector<std::size_t>> by_node;
    for (std::size_t at = 0; at < op_.items.size(); ++at) {
        by_node[find(op_.items[at])].push_back(at);
    }
    missing_ = 1; // until all are sent: a part may be answered at once
    for (auto& [node, items] : by_node) { send_part(std::move(items), false); }
    finish_part();
}

void split_beat::send_part(std::vector<std::size_t> items, bool again) {
    beat_op op;
    for (const auto at : items) { op.items.push_back(op_.items[at]); }
    ++missing_;
    parts_.submit_part(
        op, nullptr, std::make_shared<part>(shared_from_this(), std::move(items), again), give_up_);
}

void split_beat::on_part(const std::vector<std::size_t>& items, answer&& answer) {
    const bool done = answer.beats.size() == items.size();
    for (std::size_t at = 0; at < items.size(); ++at) {
        auto& out = answers_[items[at]];
        if (done) {
            out = std::move(answer.beats[at]);
        } else {
            out.status = answer.status;
            out.error = answer.error;
            out.detail = answer.detail;
        }
    }
}

void split_beat::finish_part() {
    if (--missing_ > 0) { return; }
    holdfast::engine::answer out;
    out.status = op_status::renewed; // the batch as a whole was done
    out.beats = std::move(answers_);
    whole_->complete(std::move(out));
}

} // namespace holdfast::engine::redis
