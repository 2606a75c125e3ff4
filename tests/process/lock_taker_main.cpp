// lock_taker: a program that acquires a lock, works under it and records the history. Tests kill
// and stop it in every state. It prints each state on a line:
//
//   asking | holding TOKEN | renewed | woke valid=0 at=NS | lost at=NS | releasing | released |
//   gave_up | failed: REASON | done
//
// With --hold until_released it reads commands from its standard input while it holds the lock:
// write (prints accepted or refused), release. It ends with its parent.

#include "history/recorder.hpp"
#include "support/guarded_store.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <poll.h>
#include <random>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using std::chrono::milliseconds;
namespace history = holdfast::history;
using history::stamp;

/// --name value, in any order; unknown names are an error.
class command_flags {
public:
    command_flags(int count, char** words) {
        for (int i = 1; i + 1 < count; i += 2) { given_[words[i]] = words[i + 1]; }
    }
    std::string text(const std::string& name, const std::string& fallback = {}) {
        const auto found = given_.find("--" + name);
        if (found == given_.end()) { return fallback; }
        auto out = found->second;
        given_.erase(found);
        return out;
    }
    long number(const std::string& name, long fallback) {
        const auto word = text(name);
        if (word.empty()) { return fallback; }
        long out = 0;
        const auto end = word.data() + word.size();
        if (std::from_chars(word.data(), end, out).ptr != end) {
            throw std::invalid_argument{"--" + name + " is not a number"};
        }
        return out;
    }
    void require_all_read() const {
        if (!given_.empty()) { throw std::invalid_argument{"unknown: " + given_.begin()->first}; }
    }

private:
    std::map<std::string, std::string> given_;
};

struct settings {
    explicit settings(command_flags given)
        : url{given.text("url")},
          name{given.text("name", "stock")},
          label{given.text("label")},
          history{given.text("history")},
          store{given.text("store")},
          counter{given.text("counter")},
          mode{given.text("mode", "exclusive")},
          permits{static_cast<unsigned>(given.number("permits", 1))},
          limit{static_cast<unsigned>(given.number("limit", 1))},
          lease{given.number("lease", 30'000)},
          wait{given.number("wait", -1)},
          rounds{given.number("rounds", 1)},
          hold{given.text("hold", "0")},
          hold_us{hold == "until_released" ? 0 : std::stol(hold)},
          pause_us{given.number("pause", 0)},
          quiet{given.number("quiet", 0) != 0},
          renew{given.number("renew", 1) != 0},
          pipelined{given.number("pipelined", 0) != 0},
          persist{given.number("persist", 0) != 0},
          late_write{given.number("late_write", 0) != 0},
          losses{given.text("losses")} {
        given.require_all_read();
    }
    std::string url;
    std::string name;
    std::string label; ///< the process's label in the history
    std::string history;
    std::string store;   ///< a guarded_store; empty: no writes
    std::string counter; ///< an unguarded_counter
    std::string mode;    ///< exclusive, shared or permits
    unsigned permits;
    unsigned limit;
    milliseconds lease;
    milliseconds wait; ///< negative: no limit
    long rounds;       ///< 0: no limit
    std::string hold;  ///< at most this many microseconds, or "until_released"
    microseconds hold_us;
    microseconds pause_us; ///< between rounds, at most
    bool quiet;            ///< prints nothing
    bool renew;
    bool pipelined;     ///< does not wait for the answers to its releases
    bool persist;       ///< continues after a failed acquire or release
    bool late_write;    ///< writes once more at the end of each hold, valid or not
    std::string losses; ///< a file to which it appends the cause of each loss; empty: none
};

class taker {
public:
    explicit taker(const settings& settings)
        : settings_{settings},
          history_{settings.history, settings.label},
          client_{settings.url, {.pipeline_release = settings.pipelined}},
          store_{settings.store},
          counter_{settings.counter},
          losses_{settings.losses, std::ios::app},
          random_{static_cast<unsigned>(::getpid())} {}

    void run() {
        for (long i = 1; settings_.rounds == 0 || i <= settings_.rounds; ++i) {
            acquire_once(settings_.label + "-" + std::to_string(::getpid()) + "#" +
                         std::to_string(i));
            sleep_up_to(settings_.pause_us);
        }
        print("done");
    }

private:
    void print(const std::string& line) {
        if (settings_.quiet) { return; }
        const std::lock_guard lock{print_mutex_};
        std::cout << line << std::endl; // flushed: the process may be killed at any moment
    }

    void sleep_up_to(microseconds max) {
        sleep_up_to(max, [] {});
    }

    /// Calls `poll` about every millisecond.
    template <class Poll>
    void sleep_up_to(microseconds max, Poll poll) {
        if (max <= 0us) { return; }
        std::uniform_int_distribution<long> length{0, max.count()};
        const auto until = history::now() + microseconds{length(random_)};
        while (history::now() < until) {
            poll();
            if (until - history::now() > 1ms) {
                ::poll(nullptr, 0, 1);
            } else {
                ::sched_yield();
            }
        }
    }

    std::optional<holdfast::lease> acquire() {
        const holdfast::acquire_options options{
            .lease = settings_.lease, .renew = settings_.renew, .note = settings_.label};
        if (settings_.mode == "shared") {
            holdfast::shared_mutex lock{client_, settings_.name};
            if (settings_.wait < 0ms) { return lock.acquire_shared(options); }
            return lock.try_acquire_shared_for(settings_.wait, options);
        }
        if (settings_.mode == "permits") {
            holdfast::counting_semaphore lock{client_, settings_.name, settings_.limit};
            if (settings_.wait < 0ms) { return lock.acquire(settings_.permits, options); }
            return lock.try_acquire_for(settings_.permits, settings_.wait, options);
        }
        if (settings_.mode == "writer") {
            holdfast::shared_mutex lock{client_, settings_.name};
            if (settings_.wait < 0ms) { return lock.acquire(options); }
            return lock.try_acquire_for(settings_.wait, options);
        }
        holdfast::mutex lock{client_, settings_.name};
        if (settings_.wait < 0ms) { return lock.acquire(options); }
        return lock.try_acquire_for(settings_.wait, options);
    }

    [[nodiscard]] history::mode recorded_mode() const {
        if (settings_.mode == "shared") { return history::mode::shared; }
        return settings_.mode == "permits" ? history::mode::permits : history::mode::exclusive;
    }

    void acquire_once(const std::string& owner) {
        print("asking");
        history_.record(history::requested{settings_.name, owner, recorded_mode(),
                                           settings_.permits, settings_.limit, settings_.lease});
        std::optional<holdfast::lease> held;
        try {
            held = acquire();
        } catch (const holdfast::error&) {
            history_.record(history::gave_up{settings_.name, owner, history::reason::failed});
            if (!settings_.persist) { throw; }
            ::poll(nullptr, 0, 20); // an engine that is away fails at once
            return;
        }
        if (!held) {
            history_.record(history::gave_up{settings_.name, owner, history::reason::timeout});
            print("gave_up");
            return;
        }
        hold(*held, owner);
    }

    /// N, at most a millisecond too early. Reads the clock before and after, because this process
    /// may be stopped in between.
    static stamp valid_until(const holdfast::lease& held) {
        for (;;) {
            const auto now = history::now();
            const auto until = now + held.remaining();
            if (history::now() - now < 1ms) { return until; }
        }
    }

    void hold(holdfast::lease& held, const std::string& owner) {
        granted_at_ = history::now();
        expired_at_ = {};
        until_ = valid_until(held);
        history_.record(history::granted{settings_.name, owner, token_of(held), until_});
        std::atomic<bool> lost{false};
        {
            const std::stop_callback when_lost{
                held.lost(), [&] {
                    const auto fired = history::now();
                    lost = true;
                    history_.record(history::lost{settings_.name, owner, until_, fired});
                    record_cause(held);
                    print("lost at=" + std::to_string(fired.count()));
                }};
            print("holding " + std::to_string(token_of(held)));
            if (!settings_.counter.empty()) { write(held, owner); }
            if (settings_.hold == "until_released") {
                hold_until_released(held, owner);
            } else {
                sleep_up_to(settings_.hold_us, [&] { record_renewal(held, owner); });
            }
            if (settings_.late_write) { write(held, owner); }
        }
        print("releasing");
        if (!lost) { history_.record(history::released{settings_.name, owner}); }
        if (!settings_.pipelined) { release(held); } // otherwise the destructor releases
        print("released");
    }

    void release(holdfast::lease& held) const {
        std::error_code failure;
        held.release(failure);
        if (failure && !settings_.persist) { throw std::system_error{failure, "release"}; }
    }

    /// 0 where the engine has none, as for readers of a quorum.
    static std::uint64_t token_of(const holdfast::lease& held) {
        try {
            return held.token();
        } catch (const holdfast::error&) { return 0; }
    }

    void record_cause(const holdfast::lease& held) {
        if (settings_.losses.empty()) { return; }
        const auto reason = held.why_lost();
        losses_ << (reason ? holdfast::to_string(*reason) : "unknown") << std::endl;
    }

    void write(const holdfast::lease& held, const std::string& owner) {
        const auto begun = history::now();
        const auto accepted = settings_.store.empty() || store_.write(token_of(held));
        std::optional<std::int64_t> value;
        if (accepted && !settings_.counter.empty()) { value = counter_.increment(); }
        history_.record(
            history::wrote{settings_.name, owner, token_of(held), accepted, begun, value});
        if (settings_.hold == "until_released") { print(accepted ? "accepted" : "refused"); }
    }

    /// The renewal was sent at most a lease before the new end, and after the lease was last seen
    /// expired.
    void record_renewal(const holdfast::lease& held, const std::string& owner) {
        const auto now = history::now();
        if (!held.valid()) {
            expired_at_ = now;
            return;
        }
        const auto until = valid_until(held);
        if (until <= until_.load() + 2ms) { return; }
        until_ = until;
        history_.record(
            history::renewed{settings_.name, owner, until,
                             std::max({granted_at_, expired_at_, until - settings_.lease})});
        print("renewed");
    }

    void hold_until_released(const holdfast::lease& held, const std::string& owner) {
        for (auto last_poll = granted_at_;;) {
            const auto now = history::now();
            const bool valid = held.valid();
            if (now - last_poll > 300ms) { // the process was stopped
                print(std::string{"woke valid="} + (valid ? "1" : "0") +
                      " at=" + std::to_string(now.count()));
            }
            last_poll = now;
            record_renewal(held, owner);
            pollfd input{STDIN_FILENO, POLLIN, 0};
            if (std::cin.rdbuf()->in_avail() <= 0 && ::poll(&input, 1, 2) <= 0) { continue; }
            std::string word;
            if (!(std::cin >> word) || word == "release") { return; }
            if (word == "write") { write(held, owner); }
        }
    }

    const settings& settings_;
    history::recorder history_;
    holdfast::client client_;
    holdfast::test::guarded_store store_;
    holdfast::test::unguarded_counter counter_;
    std::ofstream losses_;
    std::minstd_rand random_;
    std::mutex print_mutex_;
    stamp granted_at_{};
    stamp expired_at_{}; ///< when the lease was last seen expired
    std::atomic<stamp> until_{};
};

} // namespace

int main(int count, char** words) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::ios::sync_with_stdio(false); // so that in_avail() sees buffered input
    try {
        command_flags given{count, words};
        // The parent may have exited before prctl().
        if (const auto parent = given.number("parent", 0); parent != 0 && ::getppid() != parent) {
            return 1;
        }
        const settings settings{given};
        taker{settings}.run();
        return 0;
    } catch (const std::exception& problem) {
        std::cout << "failed: " << problem.what() << std::endl;
        return 1;
    }
}
