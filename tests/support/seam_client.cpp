#include "support/seam_client.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::test {

seam_client::seam_client(const std::string& url)
    : who_{engine::this_process()}, engine_{engine::make_engine(engine::url::parse(url), who_)} {
    engine_->attach(*this);
}

seam_client::~seam_client() = default;

engine::ticket seam_client::ticket(std::string name) {
    return {.name = std::move(name), .owner = {.client = who_.client, .number = ++last_number_}};
}

engine::op seam_client::acquire_op(const engine::ticket& who, const request& what) {
    engine::acquire_op op;
    op.who = who;
    op.kind = what.kind;
    op.how = what.how;
    op.permits = what.permits;
    op.limit = what.limit;
    op.lease = what.lease;
    op.min_hold = what.min_hold;
    op.queue = what.queue;
    op.not_after = what.not_after;
    op.note = what.note;
    return op;
}

bool seam_client::queue_up(const std::string& name, int count) {
    std::vector<engine::op_id> asked;
    for (int i = 0; i < count; ++i) {
        asked.push_back(start(acquire_op(ticket(name), {.queue = engine::queueing::grant})));
    }
    const auto queued = [this](engine::op_id id) {
        const auto said = answer_to(id);
        return said && said->what == engine::fate::queued;
    };
    return drive_until([&] { return std::ranges::all_of(asked, queued); }, long_wait);
}

engine::op_id seam_client::start(const engine::op& what) {
    const auto now = who_.time->now();
    engine_->submit(++last_op_, what, now + long_wait);
    next_ = now;
    return last_op_;
}

engine::answer seam_client::ask(const engine::op& what) {
    const auto id = start(what);
    if (!drive_until([&] { return answers_.contains(id); }, long_wait)) {
        engine::answer none;
        none.detail = "no answer";
        return none;
    }
    return answers_.find(id)->second;
}

engine::answer seam_client::acquire(const engine::ticket& who, const request& what) {
    return ask(acquire_op(who, what));
}

engine::beat_answer seam_client::beat(const engine::beat_op::item& item) {
    auto said = ask(engine::beat_op{.items = {item}});
    return said.beats.empty() ? engine::beat_answer{} : std::move(said.beats.front());
}

engine::beat_answer seam_client::renew(const engine::ticket& who, milliseconds lease) {
    return beat({.who = who, .waiting = false, .lease = lease, .order = ++renewals_});
}

engine::beat_answer seam_client::wait_on(const engine::ticket& who) {
    return beat({.who = who, .waiting = true});
}

lock_info seam_client::inspect(const std::string& name) {
    const auto said = ask(engine::inspect_op{name});
    if (said.report == nullptr || said.report->locks.empty()) { return {}; }
    return said.report->locks.front();
}

std::optional<engine::answer> seam_client::answer_to(engine::op_id id) const {
    const auto found = answers_.find(id);
    if (found == answers_.end()) { return std::nullopt; }
    return found->second;
}

std::optional<engine::notice> seam_client::await(engine::notice::kind what,
                                                 const engine::ticket& who, milliseconds within) {
    const auto find = [&] {
        return std::ranges::find_if(notices_, [&](const engine::notice& heard) {
            return heard.what == what && heard.number == who.owner.number;
        });
    };
    if (!drive_until([&] { return find() != notices_.end(); }, within)) { return std::nullopt; }
    return *find();
}

void seam_client::drive_for(milliseconds span) {
    (void)drive_until([] { return false; }, span);
}

bool seam_client::drive_until(const std::function<bool()>& done, milliseconds within) {
    const auto end = who_.time->now() + within;
    while (!done()) {
        if (who_.time->now() >= end) { return false; }
        drive_once(end);
    }
    return true;
}

void seam_client::drive_once(base::instant until) {
    std::vector<pollfd> fds;
    engine_->pollables(fds);
    const auto wait = std::min(next_, until) - who_.time->now();
    const auto most = std::clamp<base::duration>(wait, base::duration::zero(), 1s);
    ::poll(fds.data(), fds.size(), static_cast<int>(std::chrono::ceil<milliseconds>(most).count()));
    next_ = engine_->drive(fds, who_.time->now());
}

void seam_client::answered(engine::answer&& what) {
    const auto id = what.id;
    answers_.emplace(id, std::move(what));
}

} // namespace holdfast::test
