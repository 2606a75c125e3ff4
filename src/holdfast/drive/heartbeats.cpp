#include "holdfast/drive/heartbeats.hpp"

#include "holdfast/drive/delivery.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace holdfast::drive {

using base::instant;
using base::never;

std::size_t select_batch(std::span<heartbeat_request> requests, instant now) {
    const auto format = requests.front().item.ticket.format;
    auto soonest = never;
    for (const auto& request : requests) {
        if (request.item.ticket.format == format) {
            soonest = std::min(soonest, request.useful_until);
        }
    }
    const auto latest = std::max(soonest, base::later(soonest, soonest - now));
    const auto others = std::stable_partition(
        requests.begin(), requests.end(), [&](const heartbeat_request& request) {
            return request.item.ticket.format == format && request.useful_until <= latest;
        });
    return std::min(engine::max_beat_items, static_cast<std::size_t>(others - requests.begin()));
}

heartbeats::started heartbeats::start(std::span<heartbeat_request> requests, engine::op_id id,
                                      instant now) {
    const auto selected = requests.first(select_batch(requests, now));
    started out{engine::op{std::in_place_type<engine::beat_op>}, never, selected.size()};
    auto& items = std::get<engine::beat_op>(out.operation).items;
    items.reserve(selected.size());
    for (const auto& request : selected) {
        out.give_up = std::min(out.give_up, request.useful_until);
        items.push_back(request.item);
    }
    batch made{{}, now};
    made.requests.reserve(selected.size());
    auto& kept = in_flight_.emplace(id, std::move(made)).first->second.requests;
    // From here on nothing throws.
    for (auto& request : selected) { kept.push_back(std::move(request)); }
    return out;
}

void heartbeats::complete(const engine::answer& answer, instant now) noexcept {
    if (const auto found = in_flight_.find(answer.id); found != in_flight_.end()) {
        complete(found, answer, now);
    }
}

void heartbeats::fail_up_to(engine::op_id last, const engine::answer& lost, instant now) noexcept {
    while (true) { // an answer may start a new batch, which invalidates iterators
        const auto found = std::find_if(in_flight_.begin(), in_flight_.end(),
                                        [last](const auto& entry) { return entry.first <= last; });
        if (found == in_flight_.end()) { return; }
        complete(found, lost, now);
    }
}

void heartbeats::complete(batches::iterator found, const engine::answer& answer,
                          instant now) noexcept {
    const auto done = std::move(found->second);
    in_flight_.erase(found);
    for (std::size_t i = 0; i < done.requests.size(); ++i) {
        const auto& request = done.requests[i];
        if (i < answer.beats.size()) {
            deliver_beat(*request.participant, answer.beats[i], done.sent, request.item.lease, now);
            continue;
        }
        // The batch as a whole failed, or its answer was lost.
        engine::beat_answer none;
        none.status = engine::op_status::unknown;
        none.error = answer.error;
        try {
            none.detail = answer.detail;
        } catch (const std::bad_alloc&) { none.detail.clear(); }
        deliver_beat(*request.participant, none, done.sent, request.item.lease, now);
    }
}

} // namespace holdfast::drive
