#include "holdfast/engine/redis/node/reconnector.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

reconnector::reconnector(const options& options, server_source& source, greeter greet)
    : options_{options}, source_{source}, greet_{std::move(greet)}, wait_{options.backoff_seed} {}

void reconnector::open(base::instant now, connect_when when) {
    // The requests of the ended connection must be failed first.
    if (is_alive() || (connection_ && !end_reported_)) { return; }
    if (connection_ && when == connect_when::due && now < retry_) { return; }
    auto endpoint = source_.endpoint(now, when);
    if (!endpoint) {
        retry_ = base::never;
        return;
    }
    connection_ =
        std::make_unique<connection>(options_, source_, std::move(*endpoint), greet_(now), now);
    ready_reported_ = false;
    end_reported_ = false;
}

reconnector::change reconnector::drive(std::span<const pollfd> ready, base::instant now,
                                       const connection::reply_listener& on_reply) {
    if (is_down() && end_reported_) { open(now); }
    if (!connection_) { return change::none; }
    if (is_alive()) {
        const auto mine = connection_->wanted();
        const bool is_ready = std::any_of(ready.begin(), ready.end(), [&](const pollfd& each) {
            return each.fd == mine.fd && each.revents != 0;
        });
        if (is_ready) { connection_->progress(on_reply); }
        connection_->check(now);
    }
    return report(now);
}

reconnector::change reconnector::take(std::span<const char> bytes, base::instant now,
                                      const connection::reply_listener& on_reply) {
    if (is_alive()) { connection_->take(bytes, on_reply); }
    return report(now);
}

void reconnector::break_off(std::error_code code, std::string detail) {
    if (connection_) { connection_->end(code, std::move(detail)); }
}

reconnector::change reconnector::report_change(base::instant now) {
    if (!is_alive() && !end_reported_) {
        detail_ = connection_->detail(); // first: without memory the end is reported next time
        code_ = connection_->code();
        retry_ = now + wait_.next();
        end_reported_ = true;
        return change::ended;
    }
    if (is_ready() && !ready_reported_) {
        ready_reported_ = true;
        wait_.reset();
        return change::ready;
    }
    return change::none;
}

void reconnector::pollables(std::vector<pollfd>& out) const {
    if (is_alive()) { out.push_back(connection_->wanted()); }
}

base::instant reconnector::due() const noexcept {
    // Not reported yet if it ended during a write: due at once.
    if (is_down()) { return end_reported_ ? retry_ : base::instant{}; }
    return is_alive() ? connection_->due() : base::never;
}

} // namespace holdfast::engine::redis
