#include "holdfast/engine/admission/request_validation.hpp"

#include "holdfast/engine/admission/tokens.hpp"
#include "holdfast/engine/misuse_texts.hpp"

#include <holdfast/options.hpp>

#include <utility>

namespace holdfast::engine::admission {

answer failed_answer(errc code, std::string detail) {
    answer out;
    out.status = op_status::failed;
    out.error = code;
    out.detail = std::move(detail);
    return out;
}

bool lease_in_range(base::milliseconds lease) noexcept {
    return lease > base::milliseconds{0} && lease <= limits::longest_lease;
}

namespace {

bool is_valid_for(mode mode, primitive kind) noexcept {
    switch (kind) {
    case primitive::mutex: return mode == mode::exclusive;
    case primitive::shared_mutex: return mode != mode::permits;
    case primitive::semaphore: return mode == mode::permits;
    }
    return false;
}

std::optional<answer> reject_permits(const acquire_op& operation) {
    if (operation.limit == 0 || operation.limit > limits::permits) {
        return failed_answer(errc::invalid_option,
                             "limit: must be 1 to " + std::to_string(limits::permits));
    }
    // The limit may have been changed: whether there are so many, the rule says.
    if (operation.permits == 0 || operation.permits > limits::permits) {
        return failed_answer(errc::invalid_option,
                             "permits: must be 1 to " + std::to_string(limits::permits));
    }
    return std::nullopt;
}

} // namespace

std::optional<answer> reject_invalid(const acquire_op& operation) {
    if (operation.ticket.name.empty() || operation.ticket.name.size() > limits::name_bytes) {
        return failed_answer(errc::invalid_name, "name: must have 1 to 512 bytes");
    }
    if (!is_valid_for(operation.mode, operation.kind)) {
        return failed_answer(errc::invalid_option, std::string{"mode: not one that a "} +
                                                       primitive_name(operation.kind) + " has");
    }
    if (!lease_in_range(operation.lease)) {
        return failed_answer(errc::invalid_option, "lease: must be above 0 and at most 24 h");
    }
    if (operation.min_hold < base::milliseconds{0} || operation.min_hold > limits::longest_hold) {
        return failed_answer(errc::invalid_option, "min_hold: must be 0 to a year");
    }
    if (operation.note.size() > limits::note_bytes) {
        return failed_answer(errc::invalid_option, "note: must have at most 256 bytes");
    }
    if (operation.proposed_token != 0) {
        // A hand-off would come too late for the proposed token, and readers share a token.
        if (operation.mode != mode::exclusive || operation.queue == queueing::grant) {
            return failed_answer(errc::unsupported,
                                 "proposed_token: only for mode exclusive without hand-off");
        }
        if (operation.proposed_token >= token_end) {
            return failed_answer(errc::invalid_option, "proposed_token: must be below 2^53");
        }
    }
    return operation.kind == primitive::semaphore ? reject_permits(operation) : std::nullopt;
}

answer too_many_permits(unsigned permits, unsigned limit) {
    return failed_answer(errc::invalid_option, "permits is " + std::to_string(permits) +
                                                   "; it must be from 1 to the limit, which is " +
                                                   std::to_string(limit));
}

std::optional<answer> reject_invalid(const acquire_set_op& set) {
    if (set.items.empty() || set.items.size() > max_set_items) {
        return failed_answer(errc::limit_reached,
                             "a set has 1 to " + std::to_string(max_set_items) + " names");
    }
    const auto& first = set.items.front();
    for (const auto& item : set.items) {
        if (auto rejected = reject_invalid(item)) { return rejected; }
        const bool fits = item.mode == mode::exclusive && item.queue == queueing::no &&
                          item.proposed_token == 0 && item.node_id == 0 &&
                          item.ticket.format == first.ticket.format &&
                          item.not_after == first.not_after;
        if (!fits) {
            return failed_answer(errc::unsupported,
                                 "a set has exclusive holds of one lock_format and not_after only");
        }
    }
    return std::nullopt;
}

} // namespace holdfast::engine::admission
