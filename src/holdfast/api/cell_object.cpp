#include "holdfast/api/cell_object.hpp"

#include "holdfast/api/failure.hpp"
#include "holdfast/base/quote.hpp"
#include "holdfast/core/lock_request.hpp"
#include "holdfast/engine/misuse_texts.hpp"

#include <string_view>
#include <utility>

namespace holdfast::api {

std::string cell_text(std::string_view cell_name) {
    const auto colon = cell_name.find(':');
    const auto word = cell_name.substr(0, colon);
    return std::string{word == "once" ? "once_flag" : word} + ' ' +
           base::quote(std::string{cell_name.substr(colon + 1)});
}

cell_object::cell_object(std::shared_ptr<core::client_core> client, const char* word,
                         const std::string& plain_name)
    : core{std::move(client)}, name{std::string{word} + ':' + plain_name}, text{cell_text(name)} {
    core::check_name(plain_name);
    if (name.size() > limits::name_bytes) {
        throw error{errc::invalid_name, text + ": the name and \"" + word + ":\" have " +
                                            std::to_string(name.size()) + " bytes; at most " +
                                            std::to_string(limits::name_bytes) + " are possible"};
    }
    if (core->inherited()) { return; } // each call reports that
    const auto caps = core->caps(primitive::mutex, {});
    if (caps.latches && std::string_view{word} == "latch") {
        name = plain_name; // as the other library names it
        return;
    }
    if (caps.why_no_cells != nullptr) {
        throw error{errc::unsupported, text + ": " + caps.label + ' ' + caps.why_no_cells};
    }
}

engine::cell_op cell_object::op(engine::cell_op::action_kind action) const {
    engine::cell_op out;
    out.ticket.name = name;
    out.action = action;
    return out;
}

core::cell_result cell_object::run(core::cell_request request, const std::stop_token& stop,
                                   stop_policy policy, std::error_code* failure,
                                   const char* if_cancelled) const {
    clear(failure);
    const bool arrives = request.op.action == engine::cell_op::action_kind::arrive;
    auto result = core->use_cell(std::move(request), stop);
    if (result.failure == errc::cancelled && if_cancelled != nullptr) {
        result.detail = if_cancelled;
    } else if (result.failure == errc::cancelled && arrives) {
        result.detail = result.cell != nullptr ? has_arrived : not_arrived;
    }
    const bool gave_up = result.failure == errc::cancelled && policy == stop_policy::gives_up;
    if (!result.failure || gave_up) { return result; }
    if (arrives && result.failure == errc::unknown_outcome) {
        if (result.detail.empty()) { result.detail = "no answer came"; }
        result.detail += "; repeat it with the same id, and it counts once";
    }
    fail(failure, result.failure, text, result.detail);
    return result;
}

bool cell_object::check_count(const core::cell_result& result, unsigned expected,
                              std::error_code* failure) const {
    if (result.cell == nullptr || !has_other_count(*result.cell, expected)) { return true; }
    fail(failure, make_error_code(errc::wrong_limit), text,
         engine::other_count_text(result.cell->expected));
    return false;
}

void check_expected(unsigned expected, const cell_object& cell) {
    if (expected >= 1 && expected <= limits::arrivals) { return; }
    throw error{errc::invalid_option, cell.text + ": expected is " + std::to_string(expected) +
                                          "; it must be from 1 to 1000"};
}

void check_keep(std::chrono::milliseconds keep, const cell_object& cell) {
    if (keep.count() == 0 || (keep >= limits::least_keep && keep <= limits::longest_hold)) {
        return;
    }
    throw error{errc::invalid_option, cell.text + ": keep is " + std::to_string(keep.count()) +
                                          " ms; it must be from 1 s to 365 days, or 0 for ever"};
}

} // namespace holdfast::api
