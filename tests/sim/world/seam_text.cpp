// Operations and answers for people.

#include "sim/world/seam_recorder.hpp"

#include <array>
#include <variant>

namespace holdfast::sim {

namespace {

std::string number(const seam::ticket& ticket) { return std::to_string(ticket.owner.number); }

std::string text(const seam::acquire_op& op) {
    static constexpr std::array<const char*, 4> queueing{"no queue", "listen", "hint", "queue"};
    return "acquire for number " + number(op.ticket) + ", lease " +
           std::to_string(op.lease.count()) + " ms, " +
           queueing.at(static_cast<std::size_t>(op.queue)) +
           (op.proposed_token == 0 ? "" : ", token " + std::to_string(op.proposed_token));
}
std::string text(const seam::beat_op& op) {
    std::string out = "beat:";
    for (const auto& item : op.items) {
        out += item.waiting ? " waiter " : " renew ";
        out += number(item.ticket);
        if (!item.waiting) {
            out += " for " + std::to_string(item.lease.count()) + " ms (order " +
                   std::to_string(item.order) + (item.reclaim ? ", reclaims)" : ")");
        }
    }
    return out;
}
std::string text(const seam::release_op& op) { return "release of number " + number(op.ticket); }
std::string text(const seam::withdraw_op& op) {
    return "withdraw of number " + number(op.ticket) + (op.asks_again ? ", asks again" : "");
}
std::string text(const seam::break_op& /*op*/) { return "break"; }
std::string text(const seam::join_op& /*op*/) { return "join"; }
template <typename Op>
std::string text(const Op& /*op*/) {
    return "a question";
}

} // namespace

std::string describe(const seam::op& operation) {
    return std::visit([](const auto& op) { return text(op); }, operation);
}

const char* word_of(seam::op_status status) noexcept {
    using enum seam::op_status;
    switch (status) {
    case granted: return "granted";
    case queued: return "queued";
    case busy: return "busy";
    case not_joined: return "not joined";
    case renewed: return "renewed";
    case reclaimed: return "reclaimed";
    case released: return "released";
    case handed_off: return "handed off";
    case lost: return "lost";
    case not_held: return "not held";
    case reported: return "reported";
    case unknown: return "unknown";
    case failed: return "failed";
    }
    return "?";
}

std::string describe(const seam::answer& answer) {
    if (answer.beats.empty()) {
        return word_of(answer.status) +
               (answer.token == 0 ? "" : ", token " + std::to_string(answer.token)) +
               (answer.detail.empty() ? "" : " (" + answer.detail + ")");
    }
    std::string out;
    for (const auto& beat : answer.beats) {
        out += out.empty() ? "" : ", ";
        out += number(beat.ticket) + ' ' + word_of(beat.status);
    }
    return out;
}

} // namespace holdfast::sim
