#include "holdfast/engine/admission/request.hpp"

#include "holdfast/engine/admission/tokens.hpp"

#include <holdfast/options.hpp>

#include <utility>

namespace holdfast::engine::admission {

answer refuse(errc code, std::string detail) {
    answer out;
    out.status = op_status::failed;
    out.error = code;
    out.detail = std::move(detail);
    return out;
}

bool lease_in_range(base::milliseconds lease) noexcept {
    return lease > base::milliseconds{0} && lease <= limits::longest_lease;
}

const char* word(primitive kind) noexcept {
    switch (kind) {
    case primitive::mutex: return "mutex";
    case primitive::shared_mutex: return "shared_mutex";
    case primitive::semaphore: return "semaphore";
    }
    return "unknown primitive";
}

namespace {

bool goes_with(mode mode, primitive kind) noexcept {
    switch (kind) {
    case primitive::mutex: return mode == mode::exclusive;
    case primitive::shared_mutex: return mode != mode::permits;
    case primitive::semaphore: return mode == mode::permits;
    }
    return false;
}

std::optional<answer> wrong_permits(const acquire_op& operation) {
    if (operation.limit == 0 || operation.limit > limits::permits) {
        return refuse(errc::invalid_option,
                      "limit: must be 1 to " + std::to_string(limits::permits));
    }
    if (operation.permits == 0 || operation.permits > operation.limit) {
        return refuse(errc::invalid_option,
                      "permits: must be 1 to the limit, " + std::to_string(operation.limit));
    }
    return std::nullopt;
}

} // namespace

std::optional<answer> wrong_request(const acquire_op& operation) {
    if (operation.ticket.name.empty() || operation.ticket.name.size() > limits::name_bytes) {
        return refuse(errc::invalid_name, "name: must have 1 to 512 bytes");
    }
    if (!goes_with(operation.mode, operation.kind)) {
        return refuse(errc::invalid_option,
                      std::string{"mode: not one that a "} + word(operation.kind) + " has");
    }
    if (!lease_in_range(operation.lease)) {
        return refuse(errc::invalid_option, "lease: must be above 0 and at most 24 h");
    }
    if (operation.min_hold < base::milliseconds{0} || operation.min_hold > limits::longest_hold) {
        return refuse(errc::invalid_option, "min_hold: must be 0 to a year");
    }
    if (operation.note.size() > limits::note_bytes) {
        return refuse(errc::invalid_option, "note: must have at most 256 bytes");
    }
    if (operation.proposed_token != 0) {
        // Whose token would a waiter get that is handed the lock later? And readers share one.
        if (operation.mode != mode::exclusive || operation.queue == queueing::grant) {
            return refuse(errc::unsupported,
                          "proposed_token: only for mode exclusive without hand-off");
        }
        if (operation.proposed_token >= token_end) {
            return refuse(errc::invalid_option, "proposed_token: must be below 2^53");
        }
    }
    return operation.kind == primitive::semaphore ? wrong_permits(operation) : std::nullopt;
}

} // namespace holdfast::engine::admission
