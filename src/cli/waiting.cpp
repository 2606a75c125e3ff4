#include "cli/waiting.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"

#include <holdfast/holdfast.hpp>

#include <array>
#include <chrono>
#include <poll.h>
#include <stop_token>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace holdfast::cli {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

std::optional<lease> ask(client& fleet, const run_settings& what, std::optional<milliseconds> wait,
                         const std::stop_token& stop) {
    const auto most = wait.value_or(milliseconds::max() / 2);
    if (what.kind == primitive::semaphore) {
        counting_semaphore slots{fleet, what.name, what.limit, what.hold};
        return slots.try_acquire_for(what.permits, most, what.hold, stop);
    }
    if (what.kind == primitive::shared_mutex) {
        shared_mutex both{fleet, what.name, what.hold};
        return what.how == mode::shared ? both.try_acquire_shared_for(most, what.hold, stop)
                                        : both.try_acquire_for(most, what.hold, stop);
    }
    mutex one{fleet, what.name, what.hold};
    return one.try_acquire_for(most, what.hold, stop);
}

/// Layouts that are shared with other libraries say only who, and for how long still.
bool says_little(const party& one) { return one.pid == 0 && one.host.empty(); }

std::string describe(const party& one) {
    if (says_little(one)) {
        return show_text(one.owner) + (one.note.empty()
                                           ? " for another " + say_duration(one.remaining)
                                           : " (" + show_text(one.note) + ")");
    }
    const auto age =
        std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now() - one.since);
    std::string out = "pid " + std::to_string(one.pid) + " on " + show_text(one.host) + " for " +
                      say_duration(age);
    if (!one.note.empty()) { out += " (" + show_text(one.note) + ")"; }
    if (one.resting) { out += " [resting]"; }
    return out;
}

std::string who_has_it(const lock_info& info) {
    std::string out;
    for (const auto& each : info.holders) {
        out += (out.empty() ? "held by " : ", ") + describe(each);
    }
    return out.empty() ? "not held" : out;
}

void say_who_has_it(client& fleet, const run_settings& what, milliseconds waited) {
    std::error_code ignored;
    const auto info = admin{fleet}.inspect(what.name, ignored);
    if (!info) { return; }
    std::string text = "waiting for " + show_name(what.name) + " for " + say_duration(waited) +
                       "; " + who_has_it(*info);
    if (info->holders.empty() || !says_little(info->holders.front())) {
        text += "; " + std::to_string(info->waiters.size()) + " in the queue";
    }
    tell(what, text);
}

/// Listens to the front while the main thread waits for the lock.
class listener {
public:
    listener(client& fleet, const run_settings& what, const link_end& front)
        : bell_{::eventfd(0, EFD_CLOEXEC)}, thread_{[&, this] { listen(fleet, what, front); }} {}
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;
    ~listener() {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto rung = ::write(bell_.get(), &one, sizeof one);
        thread_.join();
    }

    [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }

private:
    void listen(client& fleet, const run_settings& what, const link_end& front) {
        const auto began = std::chrono::steady_clock::now();
        const bool chatty = what.loud == loudness::verbose;
        auto next_word = began + (chatty ? 0ms : 24h);
        for (;;) {
            const auto left = std::chrono::duration_cast<milliseconds>(
                next_word - std::chrono::steady_clock::now());
            std::array<pollfd, 2> both{pollfd{bell_.get(), POLLIN, 0},
                                       pollfd{front.descriptor(), POLLIN, 0}};
            ::poll(both.data(), both.size(), static_cast<int>(std::max<long>(left.count(), 0)));
            if (both[0].revents != 0) { return; }
            if (both[1].revents != 0 && stopped_by(front)) {
                stop_.request_stop();
                return;
            }
            const auto now = std::chrono::steady_clock::now();
            if (now >= next_word) {
                say_who_has_it(fleet, what, std::chrono::duration_cast<milliseconds>(now - began));
                next_word = now + 10s;
            }
        }
    }

    static bool stopped_by(const link_end& front) {
        bool closed = false;
        while (const auto said = front.hear(closed)) {
            if (said->what == word::kind::cancel || said->what == word::kind::signal) {
                return true;
            }
        }
        return closed;
    }

    std::stop_source stop_;
    base::fd bell_;
    std::thread thread_;
};

} // namespace

std::optional<lease> get_lock(client& fleet, const run_settings& what, const link_end& front,
                              bool& cancelled) {
    // Most often it is free, and then nobody has to listen meanwhile.
    if (auto got = ask(fleet, what, 0ms, {})) { return got; }
    if (what.wait == 0ms) {
        if (what.loud == loudness::verbose) { say_who_has_it(fleet, what, 0ms); }
        return std::nullopt;
    }
    const listener front_may_stop{fleet, what, front};
    auto got = ask(fleet, what, what.wait, front_may_stop.stop());
    cancelled = !got && front_may_stop.stop().stop_requested();
    return got;
}

std::optional<lease> get_lock(client& fleet, const run_settings& what) {
    return ask(fleet, what, what.wait, {});
}

} // namespace holdfast::cli
