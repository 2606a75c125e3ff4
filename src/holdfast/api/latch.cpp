// compiled alone
#include "holdfast/api/access.hpp"
#include "holdfast/api/cell_object.hpp"
#include "holdfast/api/failure.hpp"

#include <holdfast/latch.hpp>

#include <functional>
#include <utility>

namespace holdfast {

using action = engine::cell_op::action_kind;

class latch::body {
public:
    body(const client& client, std::string plain_name, unsigned count, latch_options options)
        : name{std::move(plain_name)},
          cell{detail::access::core(client), "latch", name},
          expected{count},
          keep{options.keep} {
        api::check_expected(expected, cell);
        api::check_keep(keep, cell);
    }

    [[nodiscard]] engine::cell_op op(action kind) const {
        auto out = cell.op(kind);
        out.latch = true;
        out.expected = expected;
        out.keep = keep;
        return out;
    }

    [[nodiscard]] engine::cell_op arrival(unsigned update, const arrival_options& options) const {
        if (update < 1 || update > expected) {
            throw error{errc::invalid_option, cell.text + ": update is " + std::to_string(update) +
                                                  "; it must be from 1 to " +
                                                  std::to_string(expected)};
        }
        auto out = op(action::arrive);
        out.member = options.id.empty() ? cell.core->new_owner().text() : options.id;
        out.weight = update;
        return out;
    }

    [[nodiscard]] bool arrive(unsigned update, const arrival_options& options, bool waits,
                              std::error_code* failure) const {
        core::cell_request request;
        const auto prepare = [&] { request.op = arrival(update, options); };
        api::clear(failure);
        if (!api::passes(failure, prepare)) { return false; }
        if (waits) { request.is_done = ends_wait(); }
        return is_done(cell.run(std::move(request), options.stop, api::stop_policy::fails, failure),
                       failure);
    }

    /// An open one, and one with another count, of which it must not be said that it is open.
    [[nodiscard]] std::function<bool(const engine::cell_state&)> ends_wait() const {
        return [count = expected](const engine::cell_state& seen) {
            return seen.phase > 0 || api::has_other_count(seen, count);
        };
    }
    [[nodiscard]] bool is_done(const core::cell_result& result, std::error_code* failure) const {
        return result.done && cell.check_count(result, expected, failure);
    }

    [[nodiscard]] bool wait(detail::wait_limit limit, const std::stop_token& stop,
                            api::stop_policy policy, std::error_code* failure) const {
        return is_done(cell.run({op(action::read), ends_wait(), limit}, stop, policy, failure),
                       failure);
    }

    [[nodiscard]] unsigned remaining(std::error_code* failure) const {
        const auto result = cell.run({op(action::read)}, {}, api::stop_policy::fails, failure);
        if (result.cell == nullptr || result.cell->birth == 0) { return expected; }
        if (!cell.check_count(result, expected, failure)) { return expected; }
        return result.cell->expected - result.cell->arrived;
    }

    [[nodiscard]] latch_state state(std::error_code* failure) const {
        const auto seen = cell.run({op(action::read)}, {}, api::stop_policy::fails, failure);
        if (seen.failure || seen.cell == nullptr || seen.cell->birth == 0) { return {}; }
        return {seen.cell->expected, seen.cell->arrived};
    }

    /// In two steps: the second erases only the latch that the first has found. A late duplicate of
    /// it leaves a newer one alone.
    [[nodiscard]] bool reset(std::error_code* failure) const {
        auto erase = op(action::erase);
        const auto found = cell.run({erase}, {}, api::stop_policy::fails, failure);
        if (!found.done || found.cell->birth == 0) { return found.done; }
        erase.birth = found.cell->birth;
        return cell.run({erase}, {}, api::stop_policy::fails, failure).done;
    }

    std::string name;
    api::cell_object cell;
    unsigned expected;
    std::chrono::milliseconds keep;
};

latch::latch(const client& client, std::string name, unsigned expected, latch_options options)
    : body_{std::make_unique<body>(client, std::move(name), expected, options)} {}

latch::~latch() = default;

void latch::count_down(unsigned update, const arrival_options& options) {
    (void)body_->arrive(update, options, false, nullptr);
}
bool latch::count_down(unsigned update, const arrival_options& options, std::error_code& failure) {
    return body_->arrive(update, options, false, &failure);
}

bool latch::try_wait() const {
    return body_->wait(detail::wait_limit::none(), {}, api::stop_policy::fails, nullptr);
}
bool latch::try_wait(std::error_code& failure) const {
    return body_->wait(detail::wait_limit::none(), {}, api::stop_policy::fails, &failure);
}

unsigned latch::remaining() const { return body_->remaining(nullptr); }
unsigned latch::remaining(std::error_code& failure) const { return body_->remaining(&failure); }

latch_state latch::state() const { return body_->state(nullptr); }
latch_state latch::state(std::error_code& failure) const { return body_->state(&failure); }

void latch::wait(const wait_options& options) const {
    (void)body_->wait(detail::wait_limit::unlimited(), options.stop, api::stop_policy::fails,
                      nullptr);
}
bool latch::wait(const wait_options& options, std::error_code& failure) const {
    return body_->wait(detail::wait_limit::unlimited(), options.stop, api::stop_policy::fails,
                       &failure);
}

bool latch::wait_at_most(detail::wait_limit wait, const wait_options& options,
                         std::error_code* failure) const {
    return body_->wait(wait, options.stop, api::stop_policy::gives_up, failure);
}

void latch::arrive_and_wait(unsigned update, const arrival_options& options) {
    (void)body_->arrive(update, options, true, nullptr);
}
bool latch::arrive_and_wait(unsigned update, const arrival_options& options,
                            std::error_code& failure) {
    return body_->arrive(update, options, true, &failure);
}

void latch::reset() { (void)body_->reset(nullptr); }
bool latch::reset(std::error_code& failure) { return body_->reset(&failure); }

const std::string& latch::name() const noexcept { return body_->name; }

} // namespace holdfast
