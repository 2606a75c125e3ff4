#include "holdfast/engine/redis/node/pipeline.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

void pipeline::start_session(output_buffer& output) noexcept {
    assert(requests_.empty());
    output_ = &output;
    written_ = 0;
}

void pipeline::end_session() noexcept {
    if (!requests_.empty()) {
        assert(lost_.empty()); // fail_lost is called before the next session starts
        lost_.swap(requests_);
        lost_sent_bytes_ = output_->sent;
    }
    output_ = nullptr;
    held_back_ = sent_requests_ = in_flight_ = sent_ = 0;
}

void pipeline::fail_lost(const connection_loss& loss, base::instant now) {
    while (!lost_.empty()) {
        request& lost = lost_.front();
        // A server does nothing before it has read the whole command.
        const bool may_arrive = lost.end <= lost_sent_bytes_;
        lose(lost, may_arrive, loss, now);
        lost_.drop_front();
    }
}

void pipeline::lose(request& lost, bool may_arrive, const connection_loss& why, base::instant now) {
    lost.handler->on_lost(lost, may_arrive, now);
    const auto status = may_arrive ? op_status::unknown : op_status::failed;
    for (const auto* const each : {&lost.merged, &lost.op}) {
        if (*each) { (*each)->fail(why.code, why.detail, status, why.retry_now); }
    }
}

void pipeline::hold_back(const reply& reply) {
    request& held = next();
    held.kept = std::make_unique<kept_reply>(reply);
    if (held.op && held.needs_replicas) { held.op->awaits_replicas = true; }
    ++held_back_;
}

void pipeline::disregard_front(const connection_loss& why, base::instant now) {
    lose(requests_.front(), true, why, now);
    drop_front();
}

request& pipeline::add(request_handler& handler, std::uint8_t kind, operation* operation,
                       base::instant now) {
    request& added = requests_.add();
    added.handler = &handler;
    added.kind = kind;
    added.enqueued = now;
    if (operation != nullptr) { added.op = operation_ref{*operation}; }
    ++in_flight_;
    return added;
}

request* pipeline::last_unsent() noexcept {
    if (!has_unsent() || requests_.back().begin < output_->offered) { return nullptr; }
    return &requests_.back();
}

void pipeline::join(request& last, std::uint8_t kind, operation& operation) noexcept {
    assert(&last == &requests_.back() && !last.merged);
    output_->unsent.resize(output_->unsent.size() - (last.end - last.begin));
    written_ = last.begin;
    last.end = request::unknown_end;
    last.kind = kind;
    last.merged = std::move(last.op);
    last.op = operation_ref{operation};
    ++in_flight_;
}

void pipeline::drop_front() noexcept {
    const auto weight = requests_.front().weight();
    in_flight_ -= weight;
    sent_ -= std::min(sent_, weight);
    if (sent_requests_ > 0) { --sent_requests_; }
    if (held_back_ > 0) { --held_back_; }
    requests_.drop_front();
}

bool pipeline::deliver(const reply& reply, base::instant now) {
    request& first = requests_.front();
    if (!first.handler->on_reply(first, reply, now)) { return false; }
    drop_front();
    return true;
}

void pipeline::deliver_error(const server_error& error, base::instant now) {
    request& first = requests_.front();
    first.handler->on_error(first, error, now);
    drop_front();
}

bool pipeline::confirm(const request_handler& handler) noexcept {
    if (!awaits_reply() || next().handler != &handler) { return false; }
    if (held_back_ > 0) {
        pass_over();
    } else {
        drop_front();
    }
    return true;
}

} // namespace holdfast::engine::redis
