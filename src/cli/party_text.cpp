#include "cli/party_text.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"

#include <chrono>
#include <cstddef>

namespace holdfast::cli {

namespace {

/// Of a lock with many readers or permits a message names only the first.
constexpr std::size_t most_named = 5;

/// `party::remaining` is a century then.
constexpr std::chrono::hours endless{24L * 365 * 90};

} // namespace

bool knows_owner_only(const party& party) { return party.pid == 0 && party.host.empty(); }

bool has_expiry(const party& party) { return party.remaining < endless; }

std::string describe(const party& holder, const char* age_words) {
    if (knows_owner_only(holder)) {
        return escape_text(holder.owner) +
               (holder.note.empty() ? " for another " + format_duration(holder.remaining)
                                    : " (" + escape_text(holder.note) + ")");
    }
    std::string out = "pid " + std::to_string(holder.pid) + " on " + escape_text(holder.host) +
                      age_words + format_duration(holder.age);
    if (!holder.note.empty()) { out += " (" + escape_text(holder.note) + ")"; }
    if (holder.resting) { out += " [resting]"; }
    return out;
}

std::string describe_holders(const lock_info& info) {
    std::string out;
    for (std::size_t at = 0; at < info.holders.size() && at < most_named; ++at) {
        out += (out.empty() ? "held by " : ", ") + describe(info.holders[at]);
    }
    if (info.holders.size() > most_named) {
        out += " and " + std::to_string(info.holders.size() - most_named) + " more";
    }
    return out.empty() ? "not held" : out;
}

const char* mode_name(mode mode) noexcept {
    switch (mode) {
    case mode::exclusive: return "exclusive";
    case mode::shared: return "shared";
    case mode::permits: return "permits";
    }
    return "";
}

const char* kind_name(primitive kind) noexcept {
    switch (kind) {
    case primitive::mutex: return "mutex";
    case primitive::shared_mutex: return "shared_mutex";
    case primitive::semaphore: return "semaphore";
    }
    return "";
}

} // namespace holdfast::cli
