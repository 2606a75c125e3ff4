#include "holdfast/core/lock_request.hpp"

#include "holdfast/base/quote.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <optional>

namespace holdfast::core {

namespace {

using std::chrono::milliseconds;

std::string ms(milliseconds value) { return std::to_string(value.count()) + " ms"; }

/// `sentence` makes the text only if it is needed: this runs with every acquire.
template <typename Sentence>
void require(bool condition, Sentence sentence) {
    if (!condition) { throw error{errc::invalid_option, sentence()}; }
}

void check_range(const char* field, milliseconds value, milliseconds least, milliseconds most) {
    require(value >= least && value <= most, [&] {
        return std::string{field} + " is " + ms(value) + "; it must be from " + ms(least) + " to " +
               ms(most);
    });
}

} // namespace

void check_name(const std::string& name) {
    if (name.empty()) {
        throw error{errc::invalid_name, "name is empty; it must have 1 to 512 bytes"};
    }
    if (name.size() > limits::name_bytes) {
        throw error{errc::invalid_name, "name has " + std::to_string(name.size()) +
                                            " bytes; the most is " +
                                            std::to_string(limits::name_bytes)};
    }
}

void check_limit(unsigned limit) {
    require(limit >= 1 && limit <= limits::permits, [&] {
        return "limit is " + std::to_string(limit) + "; it must be from 1 to " +
               std::to_string(limits::permits);
    });
}

void check_lease(milliseconds lease, milliseconds margin) {
    check_range("lease", lease, limits::least_lease, limits::longest_lease);
    require(margin >= milliseconds{0} && machine::leaves_enough(margin, lease), [&] {
        return "margin is " + ms(margin) +
               "; it must be from 0 ms to below half of the lease, which is " + ms(lease);
    });
}

namespace {

void check_quorum(const lock_options& options) {
    const auto& quorum = options.quorum;
    const milliseconds minute = std::chrono::minutes{1};
    check_range("quorum.node_timeout", quorum.node_timeout, milliseconds{0}, minute);
    check_range("quorum.retry_min", quorum.retry_min, milliseconds{0}, minute);
    check_range("quorum.retry_max", quorum.retry_max, milliseconds{0}, minute);
    require(quorum.retry_min <= quorum.retry_max, [&] {
        return "quorum.retry_min is " + ms(quorum.retry_min) +
               ", longer than quorum.retry_max, which is " + ms(quorum.retry_max);
    });
    if (!quorum.drift) { return; }
    require(*quorum.drift >= milliseconds{0} && *quorum.drift < options.lease / 4, [&] {
        return "quorum.drift is " + ms(*quorum.drift) +
               "; it must be from 0 ms to below a quarter of the lease, which is " +
               ms(options.lease);
    });
}

} // namespace

void check_longest_lease(milliseconds lease, const engine::capabilities& caps) {
    require(lease <= caps.longest_lease, [&] {
        const auto* const option = caps.longest_lease_option;
        return "lease is " + ms(lease) + "; the longest " + (option ? "" : "on this engine ") +
               "is " + ms(caps.longest_lease) + (option ? ": " + std::string{option} : "");
    });
}

void check_options(const lock_options& options) {
    check_lease(options.lease, options.margin);
    if (options.max_hold != milliseconds{0}) {
        check_range("max_hold", options.max_hold, limits::least_lease, limits::longest_hold);
        // The lease is cut to max_hold, and the margin must fit into that.
        require(machine::leaves_enough(options.margin, std::min(options.lease, options.max_hold)),
                [&] {
                    return "margin is " + ms(options.margin) +
                           "; it must be below half of max_hold, which is " + ms(options.max_hold);
                });
    }
    check_range("min_hold", options.min_hold, milliseconds{0}, limits::longest_hold);
    require(options.max_hold == milliseconds{0} || options.min_hold <= options.max_hold, [&] {
        return "min_hold is " + ms(options.min_hold) + ", longer than max_hold, which is " +
               ms(options.max_hold);
    });
    check_quorum(options);
    require(options.note.size() <= limits::note_bytes, [&] {
        return "note has " + std::to_string(options.note.size()) + " bytes; the most is " +
               std::to_string(limits::note_bytes);
    });
}

void check_options(const client_options& options) {
    check_range("connect_wait", options.connect_wait, milliseconds{0}, std::chrono::hours{24});
}

/// A permit_count of 0 stands for negative numbers, too.
std::string count_text(unsigned count) {
    return count == 0 ? "0 or negative" : std::to_string(count);
}

void check_request(const lock_request& request, const engine::capabilities& caps) {
    check_options(request.options);
    // Where the limit may be another one by now, the engine says how many permits are too many.
    const bool may_differ = caps.resizes || caps.stored_limit;
    const unsigned most = may_differ ? limits::permits : request.limit;
    require(request.permits >= 1 && request.permits <= most, [&] {
        return "permits is " + count_text(request.permits) +
               "; it must be from 1 to the limit, which is " + std::to_string(request.limit);
    });
    const auto refuse = [&request](const std::string& why) {
        throw error{errc::unsupported, describe(request.kind, request.name) + ": " + why};
    };
    const auto require_capability = [&](bool condition, const char* lacks) {
        if (!condition) { refuse(std::string{caps.label} + ' ' + lacks); }
    };
    require_capability(caps.knows_layout, "has no layout but native; use that");
    require_capability(caps.supported, caps.why_unsupported != nullptr
                                           ? caps.why_unsupported
                                           : "does not have this kind of lock; use another one");
    require_capability(request.options.min_hold == milliseconds{0} || caps.min_hold,
                       "does not have min_hold; leave it out");
    require_capability(request.options.note.empty() || caps.notes,
                       "does not store a note; leave it out");
    require_capability(!request.options.fencing.value_or(false) || caps.fencing,
                       caps.why_no_fencing != nullptr ? caps.why_no_fencing
                                                      : "has no fencing tokens; leave out fencing");
    require(request.options.lease >= caps.least_lease, [&] {
        return "lease is " + ms(request.options.lease) + "; the least on this engine is " +
               ms(caps.least_lease);
    });
    check_longest_lease(request.options.lease, caps);
}

namespace {

template <typename Value>
void override_by(Value& value, const std::optional<Value>& call_value) {
    if (call_value) { value = *call_value; }
}

} // namespace

void override_options(lock_options& options, const acquire_options& call) {
    override_by(options.lease, call.lease);
    override_by(options.renew, call.renew);
    override_by(options.max_hold, call.max_hold);
    override_by(options.min_hold, call.min_hold);
    override_by(options.margin, call.margin);
    override_by(options.detached, call.detached);
    override_by(options.note, call.note);
}

engine::lock_format lock_format_of(const lock_options& options) noexcept {
    return {options.layout, options.fencing};
}

machine::lease_terms terms_of(const lock_options& options) noexcept {
    machine::lease_terms terms{options.lease, options.margin, options.max_hold, options.renew};
    if (terms.max_hold > milliseconds{0}) { terms.lease = std::min(terms.lease, terms.max_hold); }
    return terms;
}

std::string describe(primitive kind, const std::string& name) {
    const char* word = "mutex ";
    if (kind == primitive::shared_mutex) { word = "shared_mutex "; }
    if (kind == primitive::semaphore) { word = "counting_semaphore "; }
    return word + base::quote(name);
}

} // namespace holdfast::core
