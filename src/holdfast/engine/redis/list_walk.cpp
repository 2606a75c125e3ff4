#include "holdfast/engine/redis/list_walk.hpp"

#include <memory>
#include <utility>

namespace holdfast::engine::redis {

namespace {

/// Asks one node after the other until one has locks. A page is of one node: its cursor depends on
/// the page's size.
class page_receiver final : public answer_receiver,
                            public std::enable_shared_from_this<page_receiver> {
public:
    page_receiver(operation_ref whole, list_op op, topology& topology, part_submitter& parts,
                  base::instant give_up)
        : whole_{std::move(whole)},
          op_{std::move(op)},
          topology_{topology},
          parts_{parts},
          give_up_{give_up} {}

    /// Asks the node that the cursor names. The part keeps this object alive.
    void send() {
        const auto cursor = walk_cursor::parse(op_.cursor);
        node* const at = topology_.node_from(cursor.address, false, address_);
        if (at == nullptr) { return whole_->complete(report{}); } // the last node has left
        list_op part = op_;
        part.cursor = address_ == cursor.address ? cursor.inner : std::string{};
        parts_.submit_part(part, at, shared_from_this(), give_up_);
    }

    void on_answer(const operation& /*part*/, answer&& answer) override {
        if (answer.status != op_status::reported) { return whole_->complete(std::move(answer)); }
        report found = *answer.report;
        std::string next;
        if (!found.cursor.empty()) {
            found.cursor = walk_cursor{address_, found.cursor}.text();
        } else if (topology_.node_from(address_, true, next) != nullptr) {
            op_.cursor = found.cursor = walk_cursor{next, {}}.text();
            if (found.locks.empty()) { return send(); }
        }
        whole_->complete(std::move(found));
    }

private:
    const operation_ref whole_;
    list_op op_;
    topology& topology_;
    part_submitter& parts_;
    const base::instant give_up_;
    std::string address_; ///< of the node that is asked
};

} // namespace

walk_cursor walk_cursor::parse(const std::string& text) {
    const auto slash = text.find('/');
    if (slash == std::string::npos) { return {}; }
    return {text.substr(0, slash), text.substr(slash + 1)};
}

void send_list_page(operation_ref whole, const list_op& op, topology& topology,
                    part_submitter& parts, base::instant give_up) {
    std::make_shared<page_receiver>(std::move(whole), op, topology, parts, give_up)->send();
}

} // namespace holdfast::engine::redis
