#include "holdfast/engine/redis/node/script_cache.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

void script_cache::start_session(script_set loaded) { loaded_.assign(1, loaded); }

void script_cache::end_session() noexcept {
    loaded_.clear();
    loading_ = 0;
}

bool script_cache::has(script_set set) const noexcept {
    return std::any_of(loaded_.begin(), loaded_.end(),
                       [&](const script_set& each) { return each.data() == set.data(); });
}

void script_cache::ensure(script_set set, base::instant now) {
    if (has(set)) { return; }
    loaded_.push_back(set);
    load(set, now);
}

void script_cache::reload(base::instant now) {
    if (loading_ > 0) { return; }
    for (const auto& set : loaded_) { load(set, now); }
}

void script_cache::load(script_set set, base::instant now) {
    for (const script* const each : set) {
        requests_.enqueue(*this, 0, nullptr, now, [each](std::string& out) {
            append_command(out, {"SCRIPT", "LOAD", each->text});
        });
        ++loading_;
    }
}

bool script_cache::on_reply(request& /*request*/, const reply& reply, base::instant /*now*/) {
    if (!reply.is_text()) { return false; }
    --loading_;
    return true;
}

/// Ignored: the command that calls the script fails and reports it.
void script_cache::on_error(request& /*request*/, const server_error& /*error*/,
                            base::instant /*now*/) {
    --loading_;
}

} // namespace holdfast::engine::redis
