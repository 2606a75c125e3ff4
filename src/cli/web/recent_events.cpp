#include "cli/web/recent_events.hpp"

#include "cli/json_name.hpp"
#include "cli/lock_json.hpp"
#include "cli/script_output.hpp"
#include "cli/web/web_view.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace holdfast::cli {

namespace {

/// Holds that may have ended are inspected one by one; the rest have their turn in the next walk.
constexpr std::size_t most_inspections = 200;

} // namespace

void recent_events::forget_holds() {
    changes_ = {};
    first_ = true;
}

void recent_events::begin_walk() {
    changes_.begin_walk();
    holds_ = 0;
}

void recent_events::add(const lock_info& lock) {
    holds_ += lock.holders.size();
    if (holds_ > most_holds) {
        if (!first_) { forget_holds(); }
        return;
    }
    for (const auto& change : changes_.add(lock, base::boot_clock::now())) { record(change); }
}

void recent_events::end_walk(const admin& admin) {
    if (holds_ > most_holds) { return forget_holds(); }
    auto absent = changes_.absent();
    if (absent.size() > most_inspections) { absent.resize(most_inspections); }
    for (const auto& key : absent) {
        if (is_held_by(admin.inspect(key.lock), key.owner)) { continue; }
        record(changes_.remove(key, base::boot_clock::now()));
    }
    first_ = false;
}

void recent_events::on_broken(hold_changes::hold_key hold) {
    broken_.push_back(std::move(hold));
    if (broken_.size() > most_events) { broken_.pop_front(); }
}

std::string recent_events::members() const {
    std::string out = "\"events\": [";
    for (const auto& event : events_) { out += (out.back() == '[' ? "" : ", ") + event; }
    return out + "], \"events_off\": " + (holds_ > most_holds ? "true" : "false");
}

/// The first walk shows what is held at the start: these are no changes.
void recent_events::record(const hold_change& change) {
    if (first_ || change.holder.resting) { return; }
    const std::string type = was_broken(change) ? "broken" : to_string(change.type);
    events_.push_front("{\"event\": \"" + type + "\", \"time\": " +
                       json_time(std::chrono::system_clock::now()) + ", " + json_name(change.lock) +
                       ", " + holder_members(without_owner(change.holder), change.command) + "}");
    if (events_.size() > most_events) { events_.pop_back(); }
}

bool recent_events::was_broken(const hold_change& change) const {
    return change.type != hold_change::kind::granted &&
           std::find(broken_.begin(), broken_.end(),
                     hold_changes::hold_key{change.lock, change.holder.owner}) != broken_.end();
}

} // namespace holdfast::cli
