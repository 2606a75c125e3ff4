// P3: tokens in the order of the grants.
//
// A grant's stamp is later than the grant itself. But if B's lease was still valid when B recorded
// it, then B held the name up to that stamp, so whoever recorded a grant before came before B. Only
// such a B is compared with its predecessors; a grant recorded after its lease had run out (a
// process stopped between the two) only counts as a predecessor. Where data was lost B may not have
// been the only one: there B must have asked after its predecessor's grant was recorded. A name
// without a single token is not fenced.

#include "history/rules.hpp"

#include <algorithm>

namespace holdfast::history {
namespace {

class token_walk {
public:
    explicit token_walk(const inquiry& about) : about_{about} {
        for (const auto& r : about.line.requests) {
            if (r.what().mode == mode::exclusive) { asked_.push_back(r.asked->at); }
        }
    }

    void run() {
        for (const auto& h : about_.line.holds) {
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
            about_.report(rule::token_twice,
                          who(*same->second->grant) + " and " + who(*h.grant) +
                              " were both granted token " + std::to_string(h.token()) + ".",
                          {same->second->grant, h.grant});
        } else if (h.valid_at_grant() && highest_ != nullptr && h.token() <= highest_->token() &&
                   (!about_.options.data_lost || h.asked->at >= highest_->grant->at)) {
            about_.report(rule::token_order,
                          inquiry::holder(h) + " came after " + inquiry::holder(*highest_) +
                              ", whose token is not lower.",
                          {highest_->grant, h.grant});
        }
        raise(h);
    }

    void shared(const hold& h) {
        const bool comparable = h.valid_at_grant() && highest_ != nullptr;
        if (comparable && h.token() < highest_->token()) {
            about_.report(rule::wrong_epoch,
                          "The reader " + inquiry::holder(h) + " came after " +
                              inquiry::holder(*highest_) + ", whose token is higher.",
                          {highest_->grant, h.grant});
        } else if (comparable && h.token() > highest_->token() && all_heard_by(h.grant->at)) {
            about_.report(rule::wrong_epoch,
                          "The reader " + inquiry::holder(h) + " carries an epoch that no " +
                              "exclusive holder was granted; the last is that of " +
                              inquiry::holder(*highest_) + ".",
                          {highest_->grant, h.grant});
        }
        raise(h);
    }

    /// Whether every exclusive request made before `at` is known to have been granted: otherwise
    /// one that died, gave up or is yet to record its grant may have raised the epoch unheard.
    [[nodiscard]] bool all_heard_by(stamp at) const {
        const auto before = std::ranges::lower_bound(asked_, at) - asked_.begin();
        return static_cast<std::size_t>(before) == granted_;
    }

    void raise(const hold& h) {
        if (highest_ == nullptr || h.token() > highest_->token()) { highest_ = &h; }
    }

    const inquiry& about_;
    std::vector<stamp> asked_{}; ///< exclusive requests, in order
    std::size_t granted_{0};     ///< exclusive grants so far
    std::unordered_map<std::uint64_t, const hold*> tokens_{};
    const hold* highest_{nullptr};
};

} // namespace

void check_tokens(const inquiry& about) {
    const bool fenced = std::ranges::any_of(about.line.holds, &hold::token);
    if (fenced) { token_walk{about}.run(); }
}

} // namespace holdfast::history
