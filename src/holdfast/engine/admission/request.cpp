#include "holdfast/engine/admission/request.hpp"

#include "holdfast/engine/admission/tokens.hpp"

#include <holdfast/options.hpp>

#include <utility>

namespace holdfast::engine::admission {

answer refuse(errc code, std::string detail) {
    answer out;
    out.what = fate::failed;
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

bool goes_with(mode how, primitive kind) noexcept {
    switch (kind) {
    case primitive::mutex: return how == mode::exclusive;
    case primitive::shared_mutex: return how != mode::permits;
    case primitive::semaphore: return how == mode::permits;
    }
    return false;
}

std::optional<answer> wrong_permits(const acquire_op& what) {
    if (what.limit == 0 || what.limit > limits::permits) {
        return refuse(errc::invalid_option,
                      "limit: must be 1 to " + std::to_string(limits::permits));
    }
    if (what.permits == 0 || what.permits > what.limit) {
        return refuse(errc::invalid_option,
                      "permits: must be 1 to the limit, " + std::to_string(what.limit));
    }
    return std::nullopt;
}

} // namespace

std::optional<answer> wrong_request(const acquire_op& what) {
    if (what.who.name.empty() || what.who.name.size() > limits::name_bytes) {
        return refuse(errc::invalid_name, "name: must have 1 to 512 bytes");
    }
    if (!goes_with(what.how, what.kind)) {
        return refuse(errc::invalid_option,
                      std::string{"mode: not one that a "} + word(what.kind) + " has");
    }
    if (!lease_in_range(what.lease)) {
        return refuse(errc::invalid_option, "lease: must be above 0 and at most 24 h");
    }
    if (what.min_hold < base::milliseconds{0} || what.min_hold > limits::longest_hold) {
        return refuse(errc::invalid_option, "min_hold: must be 0 to a year");
    }
    if (what.note.size() > limits::note_bytes) {
        return refuse(errc::invalid_option, "note: must have at most 256 bytes");
    }
    if (what.proposed_token != 0) {
        // Whose token would a waiter get that is handed the lock later? And readers share one.
        if (what.how != mode::exclusive || what.queue == queueing::grant) {
            return refuse(errc::unsupported,
                          "proposed_token: only for mode exclusive without hand-off");
        }
        if (what.proposed_token >= token_end) {
            return refuse(errc::invalid_option, "proposed_token: must be below 2^53");
        }
    }
    return what.kind == primitive::semaphore ? wrong_permits(what) : std::nullopt;
}

} // namespace holdfast::engine::admission
