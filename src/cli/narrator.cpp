#include "cli/narrator.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"

#include <holdfast/admin.hpp>
#include <holdfast/error.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

namespace holdfast::cli {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Most waits are over by then, and need no words.
constexpr milliseconds first_word{50};
constexpr milliseconds between_words{10'000};

/// Layouts that are shared with other libraries say only who, and for how long still.
bool says_little(const party& holder) { return holder.pid == 0 && holder.host.empty(); }

std::string describe(const party& holder) {
    if (says_little(holder)) {
        return show_text(holder.owner) + (holder.note.empty()
                                              ? " for another " + format_duration(holder.remaining)
                                              : " (" + show_text(holder.note) + ")");
    }
    const auto age =
        std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now() - holder.since);
    std::string out = "pid " + std::to_string(holder.pid) + " on " + show_text(holder.host) +
                      " for " + format_duration(age);
    if (!holder.note.empty()) { out += " (" + show_text(holder.note) + ")"; }
    if (holder.resting) { out += " [resting]"; }
    return out;
}

std::string holders_of(const lock_info& info) {
    std::string out;
    for (const auto& each : info.holders) {
        out += (out.empty() ? "held by " : ", ") + describe(each);
    }
    return out.empty() ? "not held" : out;
}

/// Empty: nobody has it, or the engine does not say.
std::string describe_wait(const client& fleet, const std::string& name,
                          steady_clock::time_point began) {
    std::error_code ignored;
    const auto info = admin{fleet}.inspect(name, ignored);
    if (!info) { return {}; }
    const auto waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - began);
    std::string out = "waiting for " + show_name(name) + " for " + format_duration(waited) + "; " +
                      holders_of(*info);
    if (info->holders.empty() || !says_little(info->holders.front())) {
        out += "; " + std::to_string(info->waiters.size()) + " in the queue";
    }
    return out;
}

} // namespace

struct narrator::story {
    place where;
    std::string name;
    steady_clock::time_point began = steady_clock::now();
    std::mutex mutex{};
    std::condition_variable changed{};
    bool over = false;
    bool told = false;
};

narrator::narrator(const run_settings& settings, bool at_work) : story_{std::make_shared<story>()} {
    story_->where = settings.where;
    story_->name = settings.name;
    if (!at_work) { return; }
    try {
        std::thread{[mine = story_] { go_on(mine); }}.detach();
    } catch (const std::system_error&) {} // no thread to be had: then it says nothing
}

narrator::~narrator() { static_cast<void>(has_told()); }

bool narrator::has_told() {
    const std::lock_guard lock{story_->mutex};
    story_->over = true;
    story_->changed.notify_all();
    return story_->told;
}

void narrator::tell_now(const client& fleet) {
    const auto text = describe_wait(fleet, story_->name, story_->began);
    if (!text.empty()) { tell(text); }
}

void narrator::go_on(const std::shared_ptr<story>& mine) {
    try {
        const auto fleet = mine->where.open();
        std::unique_lock lock{mine->mutex};
        for (auto pause = first_word; !mine->over; pause = between_words) {
            if (mine->changed.wait_for(lock, pause, [&] { return mine->over; })) { return; }
            lock.unlock();
            const auto text = describe_wait(fleet, mine->name, mine->began);
            lock.lock();
            if (mine->over || text.empty()) { continue; }
            tell(text);
            mine->told = true;
        }
    } catch (const std::exception&) {} // who waits hears of it, too
}

} // namespace holdfast::cli
