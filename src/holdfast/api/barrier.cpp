// compiled alone
#include "holdfast/api/access.hpp"
#include "holdfast/api/cell_object.hpp"
#include "holdfast/api/failure.hpp"

#include <holdfast/barrier.hpp>

#include <utility>

namespace holdfast {

using action = engine::cell_op::action_kind;

namespace {

/// How often an arrival finds that another phase has begun before it gives up: each time others
/// have met without it.
constexpr int max_phases = 100;

} // namespace

class barrier::body {
public:
    body(const client& client, std::string plain_name, unsigned count, barrier_options options)
        : name{std::move(plain_name)},
          cell{detail::access::core(client), "barrier", name},
          expected{count},
          keep{options.keep},
          own_id{cell.core->new_owner().text()} {
        if (expected < 1 || expected > limits::arrivals) {
            throw error{errc::invalid_option, cell.text + ": expected is " +
                                                  std::to_string(expected) +
                                                  "; it must be from 1 to 1000"};
        }
        api::check_keep(keep, "keep");
    }

    /// The arrival names its phase, so that a request that is repeated after the phase has ended
    /// does not count in the next one.
    [[nodiscard]] std::shared_ptr<const engine::cell_state> arrive(const arrival_options& options,
                                                                   std::error_code* failure) const {
        auto op = cell.op(action::arrive);
        op.member = options.id.empty() ? own_id : options.id;
        op.expected = expected;
        op.keep = keep;
        op.cyclic = true;
        auto seen = cell.run({cell.op(action::read)}, options.stop, api::on_stop::fails, failure);
        for (int tries = 0; tries < max_phases && seen.cell != nullptr && !seen.failure; ++tries) {
            op.birth = seen.cell->birth;
            op.phase = seen.cell->phase;
            seen = cell.run({op}, options.stop, api::on_stop::fails, failure);
            if (seen.cell != nullptr && seen.cell->applied) { return seen.cell; }
        }
        if (!seen.failure) {
            api::fail(failure, make_error_code(errc::limit_reached), cell.text,
                      "others complete its phases without this participant; is the count right?");
        }
        return nullptr;
    }

    [[nodiscard]] bool wait(std::uint64_t birth, std::uint64_t phase, detail::wait_limit limit,
                            const std::stop_token& stop, api::on_stop policy,
                            std::error_code* failure) const {
        const auto ended = [birth, phase](const engine::cell_state& seen) {
            return seen.birth != birth || seen.phase > phase;
        };
        const auto result = cell.run({cell.op(action::read), ended, limit}, stop, policy, failure);
        if (!result.done) { return false; }
        if (result.cell->birth == birth) { return true; }
        api::fail(failure, make_error_code(errc::lost), cell.text,
                  "the engine has forgotten it, because nobody arrived for long (keep) or its data "
                  "was lost");
        return false;
    }

    std::string name;
    api::cell_object cell;
    unsigned expected;
    std::chrono::milliseconds keep;
    std::string own_id;
};

barrier::barrier(const client& client, std::string name, unsigned expected, barrier_options options)
    : body_{std::make_unique<body>(client, std::move(name), expected, options)} {}

barrier::~barrier() = default;

barrier::arrival_token barrier::arrive_once(const arrival_options& options,
                                            std::error_code* failure) {
    arrival_token out;
    if (const auto cell = body_->arrive(options, failure)) {
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
    (void)body_->wait(arrival.birth_, arrival.phase_, detail::wait_limit::unlimited(), options.stop,
                      api::on_stop::fails, nullptr);
}
bool barrier::wait(const arrival_token& arrival, const wait_options& options,
                   std::error_code& failure) const {
    return body_->wait(arrival.birth_, arrival.phase_, detail::wait_limit::unlimited(),
                       options.stop, api::on_stop::fails, &failure);
}

bool barrier::wait_at_most(const arrival_token& arrival, detail::wait_limit wait,
                           const wait_options& options, std::error_code* failure) const {
    return body_->wait(arrival.birth_, arrival.phase_, wait, options.stop, api::on_stop::gives_up,
                       failure);
}

void barrier::arrive_and_wait(const arrival_options& options) {
    wait(arrive(options), {.stop = options.stop});
}
bool barrier::arrive_and_wait(const arrival_options& options, std::error_code& failure) {
    const auto arrival = arrive(options, failure);
    return !failure && wait(arrival, {.stop = options.stop}, failure);
}

const std::string& barrier::name() const noexcept { return body_->name; }

} // namespace holdfast
