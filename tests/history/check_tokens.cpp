// P3: tokens in the order of the grants.
//
// A grant's stamp is later than the grant itself. But if B's lease was still valid when B recorded
// it, then B held the name up to that stamp, so all grants recorded before came before B's. Only
// such a B is compared with its predecessors; a grant recorded after its lease had run out (a
// process stopped between the two) only counts as a predecessor. Where data was lost B may not have
// been the only one: there B must have sent its request after its predecessor's grant was recorded.
// A name without any token is not fenced.

#include "history/rules.hpp"

#include <algorithm>

namespace holdfast::history {
namespace {

class token_walk {
public:
    explicit token_walk(const check_context& context) : context_{context} {
        for (const auto& r : context.line.requests) {
            if (r.details().mode == mode::exclusive) {
                request_times_.push_back(r.request_event->at);
            }
        }
    }

    void run() {
        for (const auto& h : context_.line.holds) {
            if (h.request().mode == mode::exclusive) {
                exclusive(h);
            } else if (h.request().mode == mode::shared) {
                shared(h);
            }
        }
    }

private:
    void exclusive(const hold& h) {
        ++granted_;
        const auto [same, is_new] = tokens_.try_emplace(h.token(), &h);
        if (!is_new) {
            context_.report(rule::token_twice,
                            describe_process(*same->second->grant) + " and " +
                                describe_process(*h.grant) + " were both granted token " +
                                std::to_string(h.token()) + ".",
                            {same->second->grant, h.grant});
        } else if (h.valid_at_grant() && highest_ != nullptr && h.token() <= highest_->token() &&
                   (!context_.options.data_lost || h.request_event->at >= highest_->grant->at)) {
            context_.report(rule::token_order,
                            check_context::holder(h) + " came after " +
                                check_context::holder(*highest_) + ", whose token is not lower.",
                            {highest_->grant, h.grant});
        }
        raise(h);
    }

    void shared(const hold& h) {
        const bool comparable = h.valid_at_grant() && highest_ != nullptr;
        if (comparable && h.token() < highest_->token()) {
            context_.report(rule::wrong_epoch,
                            "The reader " + check_context::holder(h) + " came after " +
                                check_context::holder(*highest_) + ", whose token is higher.",
                            {highest_->grant, h.grant});
        } else if (comparable && h.token() > highest_->token() && all_recorded_by(h.grant->at)) {
            context_.report(rule::wrong_epoch,
                            "The reader " + check_context::holder(h) +
                                " carries an epoch that no " +
                                "exclusive holder was granted; the last is that of " +
                                check_context::holder(*highest_) + ".",
                            {highest_->grant, h.grant});
        }
        raise(h);
    }

    /// Whether every exclusive request made before `at` is known to have been granted: otherwise
    /// one that died, gave up or has not recorded its grant yet may have raised the epoch.
    [[nodiscard]] bool all_recorded_by(stamp at) const {
        const auto before = std::ranges::lower_bound(request_times_, at) - request_times_.begin();
        return static_cast<std::size_t>(before) == granted_;
    }

    void raise(const hold& h) {
        if (highest_ == nullptr || h.token() > highest_->token()) { highest_ = &h; }
    }

    const check_context& context_;
    std::vector<stamp> request_times_{}; ///< exclusive requests, in order
    std::size_t granted_{0};             ///< exclusive grants so far
    std::unordered_map<std::uint64_t, const hold*> tokens_{};
    const hold* highest_{nullptr};
};

} // namespace

void check_tokens(const check_context& context) {
    const bool fenced = std::ranges::any_of(context.line.holds, &hold::token);
    if (fenced) { token_walk{context}.run(); }
}

} // namespace holdfast::history
