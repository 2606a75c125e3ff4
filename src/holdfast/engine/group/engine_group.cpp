#include "holdfast/engine/group/engine_group.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::engine {

using base::instant;

engine_group::engine_group(std::vector<std::unique_ptr<engine>> members) {
    members_.reserve(members.size());
    for (auto& each : members) {
        auto member = std::make_unique<group_member>();
        member->engine = std::move(each);
        member->sink = std::make_unique<member_sink>(*this, static_cast<unsigned>(members_.size()));
        members_.push_back(std::move(member));
    }
}

engine_group::~engine_group() = default;

void engine_group::member_sink::answered(holdfast::engine::answer&& answer) {
    group_.add_event(index_).answer = std::move(answer);
}

void engine_group::member_sink::noticed(const holdfast::engine::notice& notice) {
    auto& event = group_.add_event(index_);
    event.is_notice = true;
    event.notice = notice;
}

void engine_group::member_sink::reconnected() noexcept {
    if (group_.owner_ != nullptr) { group_.owner_->reconnected(); }
}

instant engine_group::member_sink::now() const noexcept {
    return group_.owner_ == nullptr ? base::never : group_.owner_->now();
}

group_event& engine_group::add_event(unsigned member) {
    if (event_count_ == events_.size()) { events_.emplace_back(); }
    auto& event = events_[event_count_];
    event.member = member;
    event.is_notice = false;
    ++event_count_;
    return event;
}

group_event* engine_group::next_event() {
    if (next_event_ == event_count_) {
        next_event_ = event_count_ = 0;
        return nullptr;
    }
    return &events_[next_event_++];
}

void engine_group::attach(sink& owner) {
    owner_ = &owner;
    for (const auto& each : members_) { each->engine->attach(*each->sink); }
}

void engine_group::submit(unsigned member, op_id id, const op& operation, instant give_up) {
    auto& target = *members_[member];
    target.submitted = submitted_ = true;
    if (target.asked == base::never && owner_ != nullptr) { target.asked = owner_->now(); }
    target.engine->submit(id, operation, give_up);
}

void engine_group::cancel(unsigned member, op_id id) { members_[member]->engine->cancel(id); }

void engine_group::pollables(std::vector<pollfd>& out) const {
    for (const auto& each : members_) { each->engine->pollables(out); }
}

void engine_group::drive_member(group_member& member, std::span<const pollfd> ready, instant now) {
    member.submitted = false;
    member.due = now; // if it throws it is driven again
    member.due = member.engine->drive(ready, now);
}

void engine_group::drive(std::span<const pollfd> ready, instant now) {
    submitted_ = false;
    for (const auto& each : members_) {
        if (!ready.empty() || each->submitted || each->due <= now) {
            drive_member(*each, ready, now);
        }
    }
}

instant engine_group::due() const noexcept {
    auto next = base::never;
    for (const auto& each : members_) { next = std::min(next, each->due); }
    return next;
}

void engine_group::note_reply_time(group_member& member, instant now) noexcept {
    if (member.asked == base::never || now < member.asked) { return; }
    member.reply_time += (now - member.asked - member.reply_time) / 8;
    member.asked = base::never;
}

direct_read engine_group::start_direct_read(unsigned awaited) {
    std::array<std::size_t, 32> order{};
    std::size_t count = 0;
    for (std::size_t at = 0; at < members_.size() && count < order.size(); ++at) {
        if (members_[at]->engine->replies_in_flight() > 0) { order[count++] = at; }
    }
    if (awaited == 0 || count < awaited) { return {}; }
    const auto sooner = [this](std::size_t a, std::size_t b) {
        return members_[a]->reply_time < members_[b]->reply_time;
    };
    const auto chosen = order.begin() + (awaited - 1);
    std::nth_element(order.begin(), chosen, order.begin() + static_cast<std::ptrdiff_t>(count),
                     sooner);
    auto out = members_[*chosen]->engine->start_direct_read();
    out.source = *chosen * members_.size() + out.source; // a member's own source is below its size
    return out;
}

void engine_group::finish_direct_read(std::size_t source, ssize_t count, int error, instant now) {
    const auto chosen = source / members_.size();
    auto& read = *members_[chosen];
    read.submitted = false;
    read.due = now;
    read.due = read.engine->finish_direct_read(source % members_.size(), count, error, now);
    note_reply_time(read, now);
    for (std::size_t at = 0; at < members_.size(); ++at) {
        auto& each = *members_[at];
        if (at == chosen || each.engine->replies_in_flight() == 0) { continue; }
        descriptors_.clear();
        each.engine->pollables(descriptors_);
        for (auto& descriptor : descriptors_) {
            descriptor.revents = static_cast<short>(descriptor.events & POLLIN);
        }
        drive_member(each, descriptors_, now);
        if (each.engine->replies_in_flight() == 0) { note_reply_time(each, now); }
    }
}

std::size_t engine_group::replies_in_flight() const {
    std::size_t sum = 0;
    for (const auto& each : members_) { sum += each->engine->replies_in_flight(); }
    return sum;
}

void engine_group::reset() noexcept {
    next_event_ = event_count_ = 0;
    for (const auto& each : members_) { each->engine->reset(); }
}

} // namespace holdfast::engine
