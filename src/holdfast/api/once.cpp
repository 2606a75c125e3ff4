// compiled alone
#include "holdfast/api/access.hpp"
#include "holdfast/api/cell_mutex.hpp"
#include "holdfast/api/cell_object.hpp"
#include "holdfast/api/failure.hpp"

#include <holdfast/once.hpp>

#include <algorithm>
#include <utility>

namespace holdfast {

using action = engine::cell_op::action_kind;
using engine::write_if;

namespace {

/// A result has this in front, because an empty value means: claimed, but no result yet.
constexpr char result_mark = '=';

/// A claim that its process did not live to complete or to erase.
constexpr std::chrono::hours claim_keep{24 * 7};

/// How long the result of a function may take to be stored, also when the caller's time is over.
constexpr std::chrono::seconds least_store_wait{1};

/// The order of the writes of one term.
enum order : std::uint64_t { claim_order = 1, result_order = 2, erase_order = 3 };

std::optional<std::string> result_in(const core::cell_result& seen) {
    if (seen.cell == nullptr || seen.cell->value.empty()) { return std::nullopt; }
    return seen.cell->value.substr(1);
}

} // namespace

/// The cell has the result. Who runs the function holds the mutex and first claims the cell with
/// the token of its lease, so that the result of a former runner comes too late.
class once_flag::body {
public:
    body(const client& client, std::string plain_name, const once_options& options)
        : name{std::move(plain_name)},
          cell{detail::access::core(client), "once", name},
          running{client, cell.name, {.lease = options.lease, .margin = options.margin}},
          keep{options.keep} {
        api::check_keep(keep, cell);
    }

    [[nodiscard]] engine::cell_op write(std::uint64_t token, std::uint64_t order) const {
        auto out = cell.op(action::write);
        out.token = token;
        out.order = order;
        out.condition = write_if::empty;
        out.keep = claim_keep;
        return out;
    }

    [[nodiscard]] core::cell_result read(detail::wait_limit limit, const std::stop_token& stop,
                                         api::stop_policy policy, std::error_code* failure) const {
        return cell.run({cell.op(action::read), {}, limit}, stop, policy, failure);
    }

    /// The rest of the caller's time, but `least` in any case.
    [[nodiscard]] detail::wait_limit left(base::instant until,
                                          std::chrono::nanoseconds least = {}) const {
        if (until == base::never) { return detail::wait_limit::unlimited(); }
        return {std::max<std::chrono::nanoseconds>(until - cell.core->now(), least)};
    }

    void give_up_claim(const lease& held, base::instant until) const {
        std::error_code ignored; // the next holder overwrites the claim
        auto erase = cell.op(action::erase);
        erase.token = held.token();
        erase.order = erase_order;
        (void)cell.run({erase, {}, left(until, least_store_wait)}, {}, api::stop_policy::fails,
                       &ignored);
    }

    /// Runs the function and stores its result; empty if it was too late, or with a failure.
    [[nodiscard]] std::optional<std::string>
    run(const std::function<std::string(const lease&)>& function, const lease& held,
        base::instant until, std::error_code* failure) const {
        std::string value;
        try {
            value = result_mark + function(held);
        } catch (...) {
            give_up_claim(held, until);
            throw;
        }
        if (value.size() > engine::max_cell_value) {
            give_up_claim(held, until);
            api::fail(failure, make_error_code(errc::limit_reached), cell.text,
                      "the function has run, and its result of " +
                          std::to_string(value.size() - 1) + " bytes is not stored; the most is " +
                          std::to_string(limits::value_bytes));
            return std::nullopt;
        }
        auto result = write(held.token(), result_order);
        result.condition = write_if::own;
        result.keep = keep;
        result.value = value;
        const auto stored = cell.run({result, {}, left(until, least_store_wait)}, {},
                                     api::stop_policy::fails, failure);
        if (stored.cell == nullptr || !stored.cell->applied) { return std::nullopt; }
        return value.substr(1);
    }

    /// Replaces the result by a claim that soon expires.
    [[nodiscard]] bool forget(std::uint64_t token, std::error_code* failure) const {
        auto op = write(token, claim_order);
        op.condition = write_if::newest;
        op.keep = limits::least_keep;
        return cell.run({op}, {}, api::stop_policy::fails, failure).done;
    }

    std::string name;
    api::cell_object cell;
    api::cell_mutex running;
    std::chrono::milliseconds keep;
};

once_flag::once_flag(const client& client, std::string name, once_options options)
    : body_{std::make_unique<body>(client, std::move(name), options)} {}

once_flag::~once_flag() = default;

std::optional<std::string> once_flag::result() const {
    return result_in(body_->read(detail::wait_limit::none(), {}, api::stop_policy::fails, nullptr));
}
std::optional<std::string> once_flag::result(std::error_code& failure) const {
    return result_in(
        body_->read(detail::wait_limit::none(), {}, api::stop_policy::fails, &failure));
}

namespace {

/// A lease, or none if another process had the lock all the time, or after a failure or a stop.
std::optional<lease> acquire(api::cell_mutex& running, detail::wait_limit wait,
                             const std::stop_token& stop, bool stop_fails,
                             std::error_code* failure) {
    const acquire_options options{.stop = stop};
    if (!stop_fails) {
        return failure == nullptr ? running.try_acquire_for(wait.at_most, options)
                                  : running.try_acquire_for(wait.at_most, options, *failure);
    }
    auto held = failure == nullptr ? running.acquire(options) : running.acquire(options, *failure);
    if (!held) { return std::nullopt; }
    return held;
}

} // namespace

std::optional<std::string> once_flag::call(const std::function<std::string(const lease&)>& function,
                                           detail::wait_limit wait, const std::stop_token& stop,
                                           bool stop_fails, std::error_code* failure) {
    api::clear(failure);
    const auto until = base::later(body_->cell.core->now(), wait.at_most);
    while (true) {
        const auto left = body_->left(until);
        const auto seen = body_->read(
            left, stop, stop_fails ? api::stop_policy::fails : api::stop_policy::gives_up, failure);
        if (seen.failure) { return std::nullopt; }
        if (auto known = result_in(seen)) { return known; }
        const auto held = acquire(body_->running, left, stop, stop_fails, failure);
        if (!held) { return std::nullopt; }
        const auto claim =
            body_->cell.run({body_->write(held->token(), claim_order), {}, body_->left(until)}, {},
                            api::stop_policy::fails, failure);
        if (claim.failure) { return std::nullopt; }
        if (claim.cell->applied) {
            auto made = body_->run(function, *held, until, failure);
            const bool failed = failure != nullptr && *failure;
            if (made || failed) { return made; }
        } else if (auto known = result_in(claim)) {
            return known;
        }
        // The lease was lost, and another process runs it: wait for that one.
    }
}

bool once_flag::reset(std::error_code& failure) {
    const auto held = body_->running.acquire({}, failure);
    return !failure && body_->forget(held.token(), &failure);
}
void once_flag::reset() {
    const auto held = body_->running.acquire();
    (void)body_->forget(held.token(), nullptr);
}

const std::string& once_flag::name() const noexcept { return body_->name; }

} // namespace holdfast
