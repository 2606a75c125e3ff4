#include "cli/wait_reporter.hpp"

#include "cli/duration.hpp"
#include "cli/lock_operations.hpp"
#include "cli/messages.hpp"
#include "cli/party_text.hpp"
#include "holdfast/base/process.hpp"

#include <holdfast/admin.hpp>
#include <holdfast/error.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds first_report_delay{50}; // most waits are over by then
constexpr milliseconds report_interval{10'000};
constexpr milliseconds quiet_look_delay{1000};

/// Whether this process holds it, as one of several names.
bool is_own(const lock_info& info) {
    return !info.holders.empty() && info.holders.front().pid == ::getpid() &&
           info.holders.front().host == base::host_name();
}

/// The first name that someone else holds. Empty if the engine does not answer.
std::optional<lock_info> find_awaited(const client& client, const std::vector<std::string>& names) {
    std::optional<lock_info> out;
    for (const auto& name : names) {
        std::error_code ignored;
        auto info = admin{client}.inspect(name, ignored);
        if (!info) { return {}; }
        const bool found = !info->holders.empty() && !is_own(*info);
        if (found || !out) { out = std::move(info); }
        if (found) { break; }
    }
    return out;
}

/// Why the engine grants a lock that nobody holds to none of its waiters; empty if it does. They
/// are ahead of the try, so it gets nothing; if they have gone meanwhile it is released at once.
std::string reason_of_refusal(client& client, run_settings settings, const std::string& name) {
    settings.names = {name};
    settings.hold.min_hold = milliseconds{0};
    try {
        (void)try_acquire(client, settings, milliseconds{0}, {});
        return {};
    } catch (const error& refused) {
        if (refused.code() != errc::unavailable) { return {}; }
        const std::string text = refused.what();
        const auto subject = quote_name(name) + ": ";
        const auto at = text.find(subject);
        return at == std::string::npos ? text : text.substr(at + subject.size());
    }
}

/// Empty if the engine does not answer, or if there is nothing to say without -v.
std::string describe_wait(client& client, const run_settings& settings,
                          steady_clock::time_point start) {
    const auto info = find_awaited(client, settings.names);
    if (!info) { return {}; }
    std::string reason;
    if (info->holders.empty() && !info->waiters.empty()) {
        reason = reason_of_refusal(client, settings, info->name);
    }
    if (reason.empty() && settings.verbosity != verbosity::verbose) { return {}; }
    const auto waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
    std::string out = "waiting for " + quote_name(info->name) + " for " + format_duration(waited) +
                      "; " + describe_holders(*info) + (reason.empty() ? "" : ": " + reason);
    if (info->holders.empty() || !knows_owner_only(info->holders.front())) {
        out += "; " + std::to_string(info->waiters.size()) + " waiting in all";
    }
    return out;
}

} // namespace

struct wait_reporter::shared_state {
    run_settings settings;
    steady_clock::time_point start = steady_clock::now();
    std::mutex mutex{};
    std::condition_variable changed{};
    bool stopped = false;
};

wait_reporter::wait_reporter(const run_settings& settings, bool enabled)
    : shared_{std::make_shared<shared_state>()} {
    shared_->settings = settings;
    if (!enabled) { return; }
    try {
        std::thread{[shared = shared_] { run(shared); }}.detach();
    } catch (const std::system_error&) {} // the system refuses a thread: nothing is printed
}

wait_reporter::~wait_reporter() { stop(); }

void wait_reporter::stop() {
    const std::lock_guard lock{shared_->mutex};
    shared_->stopped = true;
    shared_->changed.notify_all();
}

void wait_reporter::run(const std::shared_ptr<shared_state>& shared) {
    const auto& settings = shared->settings;
    const bool repeats = settings.verbosity == verbosity::verbose;
    try {
        std::optional<client> client;
        std::unique_lock lock{shared->mutex};
        for (auto pause = repeats ? first_report_delay : quiet_look_delay; !shared->stopped;
             pause = report_interval) {
            if (shared->changed.wait_for(lock, pause, [&] { return shared->stopped; })) { return; }
            lock.unlock();
            if (!client) { client = settings.engine.open(); }
            const auto text = describe_wait(*client, settings, shared->start);
            lock.lock();
            if (!shared->stopped && !text.empty()) {
                print_message(text, repeats ? log_level::info : log_level::warning,
                              {.event = "waiting"});
            }
            if (!repeats) { return; }
        }
    } catch (const std::exception&) {} // the wait itself reports what is wrong with the engine
}

} // namespace holdfast::cli
