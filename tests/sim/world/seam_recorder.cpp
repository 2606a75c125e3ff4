#include "sim/world/seam_recorder.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

namespace holdfast::sim {

using base::instant;
using base::milliseconds;
using seam::op_status;

seam_recorder::seam_recorder(std::unique_ptr<seam::engine> real, const base::time_source& time,
                             std::string label, const sim_time& true_now, timeline& timeline)
    : real_{std::move(real)},
      time_{time},
      label_{std::move(label)},
      true_now_{true_now},
      timeline_{timeline} {}

void seam_recorder::attach(sink& target) {
    out_ = &target;
    real_->attach(*this);
}

void seam_recorder::submit(seam::op_id id, const seam::op& operation, instant give_up) {
    timeline_.add(true_now_, label_,
                  [&] { return '#' + std::to_string(id) + ": " + describe(operation); });
    note_request(id, operation);
    real_->submit(id, operation, give_up);
}

void seam_recorder::note_request(seam::op_id id, const seam::op& operation) {
    sent_request made;
    made.sent = time_.now();
    if (const auto* const acquire = std::get_if<seam::acquire_op>(&operation)) {
        made.kind = request_kind::acquire;
        made.number = acquire->ticket.owner.number;
        auto& log = tickets_[made.number];
        log.asked = made.sent;
        log.lease = acquire->lease;
        log.ended = false;
    } else if (const auto* const beat = std::get_if<seam::beat_op>(&operation)) {
        made.kind = request_kind::beat;
        for (const auto& item : beat->items) {
            made.items.push_back({item.ticket.owner.number, item.waiting, item.lease});
        }
    } else if (const auto* const release = std::get_if<seam::release_op>(&operation)) {
        made.kind = request_kind::end;
        made.number = release->ticket.owner.number;
    } else if (const auto* const withdraw = std::get_if<seam::withdraw_op>(&operation)) {
        made.kind = request_kind::end;
        made.number = withdraw->ticket.owner.number;
    } else {
        made.kind = request_kind::other;
    }
    requests_.emplace(id, std::move(made));
}

/// The formula of docs/safety.md, written anew.
void seam_recorder::raise_bound(ticket_log& log, instant sent, milliseconds lease) {
    const base::duration whole = lease;
    auto margin = base::duration{log.margin};
    if (log.margin == milliseconds{0}) {
        margin = std::min(std::max<base::duration>(milliseconds{50}, whole / 20), whole / 3);
    }
    log.bound = std::max(log.bound, sent + whole - whole / 100 - milliseconds{2} - margin);
}

/// It counts from the last request that was answered `queued`, or from one that is in flight.
void seam_recorder::raise_bound_by_hand_off(ticket_log& log) {
    raise_bound(log, std::max(log.queued, log.asked),
                std::min<milliseconds>(log.lease, milliseconds{2000}));
}

void seam_recorder::note_acquire_answer(const sent_request& request, const seam::answer& answer) {
    auto& log = tickets_[request.number];
    switch (answer.status) {
    case op_status::granted: raise_bound(log, request.sent, log.lease); break;
    case op_status::queued: log.queued = request.sent; break;
    case op_status::busy: log.ended = !log.uncertain; break;
    case op_status::unknown: log.uncertain = true; break;
    default: break;
    }
}

void seam_recorder::note_beat_answer(const sent_request& request, const seam::answer& answer) {
    for (std::size_t at = 0; at < std::min(request.items.size(), answer.beats.size()); ++at) {
        const auto& item = request.items[at];
        auto& log = tickets_[item.number];
        switch (answer.beats[at].status) {
        case op_status::renewed:
            raise_bound(log, request.sent, item.lease);
            log.renewed = std::max(log.renewed, request.sent);
            break;
        case op_status::queued: log.queued = request.sent; break;
        case op_status::granted: raise_bound_by_hand_off(log); break;
        default: break;
        }
    }
}

void seam_recorder::answered(seam::answer&& answer) {
    timeline_.add(true_now_, label_,
                  [&] { return '#' + std::to_string(answer.id) + " -> " + describe(answer); });
    if (const auto found = requests_.find(answer.id); found != requests_.end()) {
        const auto& request = found->second;
        switch (request.kind) {
        case request_kind::acquire: note_acquire_answer(request, answer); break;
        case request_kind::beat: note_beat_answer(request, answer); break;
        case request_kind::end:
            tickets_[request.number].ended =
                answer.status != op_status::unknown && answer.status != op_status::failed;
            break;
        case request_kind::other: break;
        }
        requests_.erase(found);
    }
    out_->answered(std::move(answer));
}

void seam_recorder::noticed(const seam::notice& notice) {
    timeline_.add(true_now_, label_, [&] {
        static constexpr std::array<const char*, 5> kinds{"granted", "maybe free", "broken",
                                                          "inbox reset", "doubtful"};
        return std::string{"notice: "} + kinds.at(static_cast<std::size_t>(notice.type)) +
               (notice.number == 0 ? "" : ", number " + std::to_string(notice.number)) +
               (notice.token == 0 ? "" : ", token " + std::to_string(notice.token));
    });
    const auto found = tickets_.find(notice.number);
    if (notice.type == seam::notice::kind::granted && found != tickets_.end()) {
        raise_bound_by_hand_off(found->second);
    }
    out_->noticed(notice);
}

} // namespace holdfast::sim
