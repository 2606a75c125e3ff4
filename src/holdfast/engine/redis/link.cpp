#include "holdfast/engine/redis/link.hpp"

#include "holdfast/base/random.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

link::link(const place& where, greeter greet)
    : where_{where}, greet_{std::move(greet)}, wait_{base::random_seed()} {}

void link::open(base::instant now, when start) {
    // What was asked on a session that has ended must be told of that first.
    if (living() || (opened_ && !told_ended_)) { return; }
    if (opened_ && start == when::due && now < retry_) { return; }
    session_ = std::make_unique<session>(where_, greet_(), now);
    opened_ = true;
    told_ready_ = false;
    told_ended_ = false;
}

link::change link::drive(std::span<const pollfd> ready, base::instant now,
                         const session::listener& hear) {
    if (down() && told_ended_) { open(now); }
    if (!session_) { return change::none; }
    if (living()) {
        const auto mine = session_->wanted();
        const bool is_ready = std::any_of(ready.begin(), ready.end(), [&](const pollfd& one) {
            return one.fd == mine.fd && one.revents != 0;
        });
        if (is_ready) { session_->progress(hear); }
        session_->check(now);
    }
    return look(now);
}

link::change link::take(std::span<const char> bytes, base::instant now,
                        const session::listener& hear) {
    if (living()) { session_->take(bytes, hear); }
    return look(now);
}

void link::break_off(std::error_code code, std::string detail) {
    if (session_) { session_->end(code, std::move(detail)); }
}

link::change link::look(base::instant now) {
    if (!living() && !told_ended_) {
        told_ended_ = true;
        code_ = session_->code();
        detail_ = session_->detail();
        retry_ = now + wait_.next();
        return change::ended;
    }
    if (ready() && !told_ready_) {
        told_ready_ = true;
        wait_.reset();
        return change::ready;
    }
    return change::none;
}

void link::pollables(std::vector<pollfd>& out) const {
    if (living()) { out.push_back(session_->wanted()); }
}

base::instant link::due() const noexcept {
    if (down()) { return told_ended_ ? retry_ : base::instant{}; } // it ended as it was written to
    return living() ? session_->due() : base::never;
}

} // namespace holdfast::engine::redis
