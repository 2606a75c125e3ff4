#include "support/seam_client.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::test {

seam_client::seam_client(const std::string& url)
    : identity_{engine::this_process()},
      engine_{engine::make_engine(engine::url::parse(url), identity_)} {
    engine_->attach(*this);
}

seam_client::~seam_client() = default;

engine::ticket seam_client::ticket(std::string name) {
    return {.name = std::move(name),
            .owner = {.client = identity_.client, .number = ++last_number_}};
}

engine::acquire_op seam_client::acquire_op(const engine::ticket& ticket, const request& request) {
    engine::acquire_op op;
    op.ticket = ticket;
    op.kind = request.kind;
    op.mode = request.mode;
    op.permits = request.permits;
    op.limit = request.limit;
    op.lease = request.lease;
    op.min_hold = request.min_hold;
    op.queue = request.queue;
    op.not_after = request.not_after;
    op.note = request.note;
    op.proposed_token = request.proposed_token;
    op.node_id = request.node_id;
    return op;
}

bool seam_client::queue_up(const std::string& name, int count) {
    std::vector<engine::op_id> ids;
    for (int i = 0; i < count; ++i) {
        ids.push_back(start(acquire_op(ticket(name), {.queue = engine::queueing::grant})));
    }
    const auto queued = [this](engine::op_id id) {
        const auto answer = answer_to(id);
        return answer && answer->status == engine::op_status::queued;
    };
    return drive_until([&] { return std::ranges::all_of(ids, queued); }, long_wait);
}

engine::op_id seam_client::start(const engine::op& operation) {
    const auto now = identity_.time->now();
    engine_->submit(++last_op_, operation, now + long_wait);
    next_ = now;
    return last_op_;
}

engine::answer seam_client::ask(const engine::op& operation) {
    const auto id = start(operation);
    if (!drive_until([&] { return answers_.contains(id); }, long_wait)) {
        engine::answer none;
        none.detail = "no answer";
        return none;
    }
    return answers_.find(id)->second;
}

engine::answer seam_client::acquire(const engine::ticket& ticket, const request& request) {
    return ask(acquire_op(ticket, request));
}

engine::beat_answer seam_client::beat(const engine::beat_op::item& item) {
    auto answer = ask(engine::beat_op{.items = {item}});
    return answer.beats.empty() ? engine::beat_answer{} : std::move(answer.beats.front());
}

engine::beat_answer seam_client::renew(const engine::ticket& ticket, milliseconds lease) {
    return beat({.ticket = ticket, .waiting = false, .lease = lease, .order = ++renewals_});
}

engine::beat_answer seam_client::reclaim(const engine::ticket& ticket, std::uint64_t token,
                                         const request& terms) {
    return beat({.ticket = ticket,
                 .waiting = false,
                 .lease = terms.lease,
                 .order = ++renewals_,
                 .token = token,
                 .reclaim = std::make_shared<engine::acquire_op>(acquire_op(ticket, terms))});
}

engine::beat_answer seam_client::wait_on(const engine::ticket& ticket) {
    return beat({.ticket = ticket, .waiting = true});
}

lock_info seam_client::inspect(const std::string& name) {
    const auto answer = ask(engine::inspect_op{name});
    if (answer.report == nullptr || answer.report->locks.empty()) { return {}; }
    return answer.report->locks.front();
}

bool seam_client::waits_for_room() const {
    std::vector<pollfd> fds;
    engine_->pollables(fds);
    return std::ranges::any_of(fds,
                               [](const pollfd& each) { return (each.events & POLLOUT) != 0; });
}

std::optional<engine::answer> seam_client::answer_to(engine::op_id id) const {
    const auto found = answers_.find(id);
    if (found == answers_.end()) { return std::nullopt; }
    return found->second;
}

std::optional<engine::notice>
seam_client::await(engine::notice::kind type, const engine::ticket& ticket, milliseconds within) {
    const auto find = [&] {
        return std::ranges::find_if(notices_, [&](const engine::notice& notice) {
            return notice.type == type && notice.number == ticket.owner.number;
        });
    };
    if (!drive_until([&] { return find() != notices_.end(); }, within)) { return std::nullopt; }
    return *find();
}

std::size_t seam_client::notices(engine::notice::kind type, const engine::ticket& ticket) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(notices_, [&](const engine::notice& notice) {
            return notice.type == type && notice.number == ticket.owner.number;
        }));
}

void seam_client::drive_for(milliseconds span) {
    (void)drive_until([] { return false; }, span);
}

bool seam_client::drive_until(const std::function<bool()>& done, milliseconds within) {
    const auto end = identity_.time->now() + within;
    while (!done()) {
        if (identity_.time->now() >= end) { return false; }
        drive_once(end);
    }
    return true;
}

void seam_client::drive_once(base::instant until) {
    std::vector<pollfd> fds;
    engine_->pollables(fds);
    const auto wait = std::min(next_, until) - identity_.time->now();
    const auto timeout = std::clamp<base::duration>(wait, base::duration::zero(), 1s);
    ::poll(fds.data(), fds.size(),
           static_cast<int>(std::chrono::ceil<milliseconds>(timeout).count()));
    next_ = engine_->drive(fds, identity_.time->now());
}

void seam_client::answered(engine::answer&& answer) {
    const auto id = answer.id;
    answers_.emplace(id, std::move(answer));
}

} // namespace holdfast::test
