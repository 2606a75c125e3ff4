#include "holdfast/base/ids.hpp"
#include "holdfast/engine/checkup.hpp"

#include <holdfast/client.hpp>
#include <holdfast/diagnose.hpp>
#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/mutex.hpp>

#include <algorithm>

namespace holdfast {

namespace {

using std::chrono::milliseconds;

/// Short, because nothing renews it; but a node of a quorum has a twentieth of it to answer.
constexpr milliseconds trial_lease{10'000};
constexpr milliseconds short_trial_lease{1'000}; ///< where max_lease is below the other
constexpr milliseconds slow_trial{500};

/// How long it took to acquire and release a lock. Throws error.
milliseconds time_trial(std::string_view url, const diagnose_options& options, milliseconds lease) {
    client fleet{url, {.connect_wait = options.timeout}};
    const auto name = "holdfast-doctor:" + base::client_id::make().text();
    (void)fleet.ping(); // connects
    const auto start = base::boot_clock::now();
    auto held = mutex{fleet, name, {.lease = lease, .renew = false}}.try_acquire();
    if (!held) { throw error{errc::unavailable, "the trial lock was refused"}; }
    held->release();
    return std::chrono::duration_cast<milliseconds>(base::boot_clock::now() - start);
}

milliseconds time_trial(std::string_view url, const diagnose_options& options) {
    try {
        return time_trial(url, options, trial_lease);
    } catch (const error& refused) {
        if (refused.code() != errc::invalid_option) { throw; }
        return time_trial(url, options, short_trial_lease);
    }
}

/// Redis says so in its error; see max_lease.
bool is_grace_period(std::string_view text) {
    return text.find("it grants nothing new for") != std::string_view::npos;
}

std::string trial_remedy(const error& refused, const std::string& subject) {
    if (std::string_view{refused.what()}.find("NOREPLICAS") != std::string_view::npos) {
        return "start the missing replicas, or lower min-replicas-to-write of the server";
    }
    if (refused.code() == errc::unavailable) {
        return "mend what the other findings name, and run the doctor again";
    }
    const bool is_file = subject == "embedded:";
    if (refused.code() == errc::store_full) {
        return is_file ? "make room on the disk" : "raise maxmemory, or remove other data";
    }
    if (refused.code() == errc::store_forbidden && !is_file) {
        return "give the user the ACL rule in REDIS SERVERS of holdfast(1)";
    }
    return "do what the text says";
}

void run_trial(std::string_view url, const diagnose_options& options, engine::checkup& out) {
    const std::string subject{url.substr(0, url.find(':') + 1)};
    try {
        const auto took = time_trial(url, options);
        const auto text =
            "a lock was acquired and released in " + std::to_string(took.count()) + " ms";
        if (took < slow_trial) { return out.ok("trial", subject, text); }
        out.warn("trial", subject, text + ": leases must be much longer than that",
                 "see the network and the load of the servers; raise --lease and timeouts");
    } catch (const error& refused) {
        const auto text = std::string{"a lock could not be used: "} + refused.what();
        if (is_grace_period(text)) {
            return out.warn("trial", subject, text,
                            "wait that long and run the doctor again: this is the grace period "
                            "after a restart, a failover or lost data, and when max_lease is first "
                            "used");
        }
        out.danger("trial", subject, text, trial_remedy(refused, subject));
    }
}

} // namespace

const char* to_string(severity severity) noexcept {
    switch (severity) {
    case severity::ok: return "ok";
    case severity::warning: return "warning";
    case severity::danger: return "danger";
    }
    return "";
}

std::vector<finding> diagnose(std::string_view url, const diagnose_options& options) {
    if (options.timeout <= milliseconds::zero()) {
        throw error{errc::invalid_option, "timeout is not positive"};
    }
    auto out = engine::check_up(engine::url::parse(url), {.timeout = options.timeout});
    if (options.trial_lock && out.usable) { run_trial(url, options, out); }
    return std::move(out.findings);
}

severity worst_of(const std::vector<finding>& findings) noexcept {
    auto out = severity::ok;
    for (const auto& each : findings) { out = std::max(out, each.severity); }
    return out;
}

} // namespace holdfast
