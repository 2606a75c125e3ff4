#include "holdfast/engine/redis/list_walk.hpp"

#include <memory>
#include <utility>

namespace holdfast::engine::redis {

namespace {

class page_receiver final : public answer_receiver {
public:
    page_receiver(operation_ref whole, topology& topology, std::string address)
        : whole_{std::move(whole)}, topology_{topology}, address_{std::move(address)} {}

    void on_answer(const operation& /*part*/, answer&& answer) override {
        if (answer.status == op_status::reported) {
            report found = *answer.report;
            std::string next;
            if (!found.cursor.empty()) {
                found.cursor = walk_cursor{address_, found.cursor}.text();
            } else if (topology_.node_from(address_, true, next) != nullptr) {
                found.cursor = walk_cursor{next, {}}.text();
            }
            answer.report = std::make_shared<const report>(std::move(found));
        }
        whole_->complete(std::move(answer));
    }

private:
    const operation_ref whole_;
    topology& topology_;
    const std::string address_; ///< of the node of this page
};

} // namespace

walk_cursor walk_cursor::parse(const std::string& text) {
    const auto slash = text.find('/');
    if (slash == std::string::npos) { return {}; }
    return {text.substr(0, slash), text.substr(slash + 1)};
}

void send_list_page(operation_ref whole, const list_op& op, topology& topology,
                    part_submitter& parts, base::instant give_up) {
    auto cursor = walk_cursor::parse(op.cursor);
    std::string found;
    node* const at = topology.node_from(cursor.address, false, found);
    if (at == nullptr) { return whole->complete(report{}); } // the last node has left
    list_op page = op;
    page.cursor = found == cursor.address ? cursor.inner : std::string{};
    parts.submit_part(page, at, std::make_shared<page_receiver>(std::move(whole), topology, found),
                      give_up);
}

} // namespace holdfast::engine::redis
