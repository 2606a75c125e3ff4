// compiled alone
#include "holdfast/api/access.hpp"
#include "holdfast/api/cell_object.hpp"
#include "holdfast/api/failure.hpp"

#include <holdfast/barrier.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace holdfast {

using action = engine::cell_op::action_kind;

namespace {

/// How often an arrival finds that another phase has begun before it gives up: each time others
/// have met without it.
constexpr int max_phases = 100;

/// The phases of arrivals that ended without an answer, by id. Such an arrival may have counted, so
/// its repetition names the same phase first.
///
/// Thread safety: any.
class unanswered_arrivals {
public:
    void remember(const engine::cell_op& op) {
        const std::scoped_lock hold{mutex_};
        if (phases_.size() >= limits::arrivals && phases_.count(op.member) == 0) {
            phases_.erase(phases_.begin());
        }
        phases_[op.member] = {op.birth, op.phase};
    }
    void forget(const std::string& member) {
        const std::scoped_lock hold{mutex_};
        phases_.erase(member);
    }
    /// Sets birth and phase, if an arrival of this member is not answered yet.
    [[nodiscard]] bool recall(engine::cell_op& op) {
        const std::scoped_lock hold{mutex_};
        const auto found = phases_.find(op.member);
        if (found == phases_.end()) { return false; }
        std::tie(op.birth, op.phase) = found->second;
        return true;
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> phases_;
};

} // namespace

class barrier::body {
public:
    body(const client& client, std::string plain_name, unsigned count, barrier_options options)
        : name{std::move(plain_name)},
          cell{detail::access::core(client), "barrier", name},
          expected{count},
          keep{options.keep},
          own_id{cell.core->new_owner().text()} {
        api::check_expected(expected, cell);
        api::check_keep(keep, cell);
    }

    [[nodiscard]] core::cell_result run(engine::cell_op op, const std::stop_token& stop,
                                        std::error_code* failure) const {
        return cell.run({std::move(op)}, stop, api::stop_policy::fails, failure, api::not_arrived);
    }

    /// The arrival names its phase, so that a request that is repeated after the phase has ended
    /// does not count in the next one; nor an arrival that its caller repeats.
    [[nodiscard]] std::shared_ptr<const engine::cell_state> arrive(const arrival_options& options,
                                                                   std::error_code* failure) const {
        auto op = cell.op(action::arrive);
        op.member = options.id.empty() ? own_id : options.id;
        op.expected = expected;
        op.keep = keep;
        op.cyclic = true;
        auto seen = unanswered.recall(op) ? run(op, options.stop, failure)
                                          : run(cell.op(action::read), options.stop, failure);
        for (int tries = 0; tries < max_phases && seen.cell != nullptr && !seen.failure; ++tries) {
            if (seen.cell->applied) {
                unanswered.forget(op.member);
                return seen.cell;
            }
            op.birth = seen.cell->birth;
            op.phase = seen.cell->phase;
            unanswered.remember(op);
            seen = run(op, options.stop, failure);
        }
        if (!seen.failure) {
            api::fail(failure, make_error_code(errc::limit_reached), cell.text,
                      "others complete its phases without this participant; is the count right?");
        }
        return nullptr;
    }

    [[nodiscard]] bool wait(const arrival_token& arrival, detail::wait_limit limit,
                            const std::stop_token& stop, api::stop_policy policy,
                            std::error_code* failure, const char* if_cancelled = nullptr) const {
        api::clear(failure);
        if (!check_token(arrival, failure)) { return false; }
        const auto ended = [arrival, count = expected](const engine::cell_state& seen) {
            return seen.birth != arrival.birth_ || seen.phase > arrival.phase_ ||
                   api::has_other_count(seen, count);
        };
        const auto result =
            cell.run({cell.op(action::read), ended, limit}, stop, policy, failure, if_cancelled);
        if (!result.done) { return false; }
        if (result.cell->birth == arrival.birth_) {
            return cell.check_count(result, expected, failure);
        }
        api::fail(failure, make_error_code(errc::lost), cell.text,
                  "the engine has forgotten it, because nobody arrived for long (keep) or its data "
                  "was lost");
        return false;
    }

    [[nodiscard]] bool check_token(const arrival_token& arrival, std::error_code* failure) const {
        if (arrival.birth_ != 0 && arrival.barrier_ == identity()) { return true; }
        const bool is_empty = arrival.birth_ == 0;
        api::fail(failure, make_error_code(errc::invalid_option), cell.text,
                  std::string{"the arrival_token is "} +
                      (is_empty ? "empty" : "one of another barrier") +
                      "; pass the one that arrive() of this barrier has returned");
        return false;
    }
    /// For the tokens of this process: the same for all objects of a name.
    [[nodiscard]] std::size_t identity() const noexcept {
        return std::hash<std::string>{}(cell.name);
    }

    std::string name;
    api::cell_object cell;
    unsigned expected;
    std::chrono::milliseconds keep;
    std::string own_id;
    mutable unanswered_arrivals unanswered;
};

barrier::barrier(const client& client, std::string name, unsigned expected, barrier_options options)
    : body_{std::make_unique<body>(client, std::move(name), expected, options)} {}

barrier::~barrier() = default;

barrier::arrival_token barrier::arrive_once(const arrival_options& options,
                                            std::error_code* failure) {
    arrival_token out;
    if (const auto cell = body_->arrive(options, failure)) {
        out.barrier_ = body_->identity();
        out.birth_ = cell->birth;
        out.phase_ = cell->counted_in;
    }
    return out;
}

barrier::arrival_token barrier::arrive(const arrival_options& options) {
    return arrive_once(options, nullptr);
}
barrier::arrival_token barrier::arrive(const arrival_options& options, std::error_code& failure) {
    return arrive_once(options, &failure);
}

void barrier::wait(const arrival_token& arrival, const wait_options& options) const {
    (void)body_->wait(arrival, detail::wait_limit::unlimited(), options.stop,
                      api::stop_policy::fails, nullptr);
}
bool barrier::wait(const arrival_token& arrival, const wait_options& options,
                   std::error_code& failure) const {
    return body_->wait(arrival, detail::wait_limit::unlimited(), options.stop,
                       api::stop_policy::fails, &failure);
}

bool barrier::wait_at_most(const arrival_token& arrival, detail::wait_limit wait,
                           const wait_options& options, std::error_code* failure) const {
    return body_->wait(arrival, wait, options.stop, api::stop_policy::gives_up, failure);
}

void barrier::arrive_and_wait(const arrival_options& options) {
    const auto arrival = arrive(options);
    (void)body_->wait(arrival, detail::wait_limit::unlimited(), options.stop,
                      api::stop_policy::fails, nullptr, api::has_arrived);
}
bool barrier::arrive_and_wait(const arrival_options& options, std::error_code& failure) {
    const auto arrival = arrive(options, failure);
    return !failure && wait(arrival, {.stop = options.stop}, failure);
}

const std::string& barrier::name() const noexcept { return body_->name; }

} // namespace holdfast
