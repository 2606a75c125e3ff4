// lock_taker: a program that takes a lock, works under it and writes down what happened, to be
// killed and stopped by tests in every state. Says each state on a line of its own:
//
//   asking | holding TOKEN | renewed | woke valid=0 at=NS | lost at=NS | releasing | released |
//   gave_up | failed: WHY | done
//
// While it holds with --hold told it obeys lines on its standard input: write (says accepted or
// refused), release. It ends with its parent.

#include "history/recorder.hpp"
#include "support/guarded_store.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <exception>
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

/// --name value, in any order; a name that is not asked for is an error.
class flags {
public:
    flags(int count, char** words) {
        for (int i = 1; i + 1 < count; i += 2) { given_[words[i]] = words[i + 1]; }
    }
    std::string text(const std::string& name, const std::string& otherwise = {}) {
        const auto found = given_.find("--" + name);
        if (found == given_.end()) { return otherwise; }
        auto out = found->second;
        given_.erase(found);
        return out;
    }
    long number(const std::string& name, long otherwise) {
        const auto word = text(name);
        if (word.empty()) { return otherwise; }
        long out = 0;
        const auto end = word.data() + word.size();
        if (std::from_chars(word.data(), end, out).ptr != end) {
            throw std::invalid_argument{"--" + name + " is no number"};
        }
        return out;
    }
    void no_more() const {
        if (!given_.empty()) { throw std::invalid_argument{"unknown: " + given_.begin()->first}; }
    }

private:
    std::map<std::string, std::string> given_;
};

struct settings {
    explicit settings(flags given)
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
          hold_us{hold == "told" ? 0 : std::stol(hold)},
          pause_us{given.number("pause", 0)},
          quiet{given.number("quiet", 0) != 0},
          renew{given.number("renew", 1) != 0},
          pipelined{given.number("pipelined", 0) != 0} {
        given.no_more();
    }
    std::string url;
    std::string name;
    std::string label; ///< of the process in the history
    std::string history;
    std::string store;   ///< a guarded_store; none: no writes
    std::string counter; ///< an unguarded_counter
    std::string mode;    ///< exclusive, shared or permits
    unsigned permits;
    unsigned limit;
    milliseconds lease;
    milliseconds wait; ///< negative: for ever
    long rounds;       ///< 0: for ever
    std::string hold;  ///< at most so many microseconds, or "told"
    microseconds hold_us;
    microseconds pause_us; ///< between rounds, at most
    bool quiet;            ///< says nothing: nobody reads
    bool renew;
    bool pipelined; ///< it does not wait for the answers to its releases
};

class taker {
public:
    explicit taker(const settings& how)
        : how_{how},
          history_{how.history, how.label},
          client_{how.url, {.pipeline_release = how.pipelined}},
          store_{how.store},
          counter_{how.counter},
          random_{static_cast<unsigned>(::getpid())} {}

    void run() {
        for (long i = 1; how_.rounds == 0 || i <= how_.rounds; ++i) {
            take_once(how_.label + "-" + std::to_string(::getpid()) + "#" + std::to_string(i));
            sleep_up_to(how_.pause_us);
        }
        say("done");
    }

private:
    void say(const std::string& what) {
        if (how_.quiet) { return; }
        const std::lock_guard lock{saying_};
        std::cout << what << std::endl; // each line at once: the next moment may be the last
    }

    void sleep_up_to(microseconds most) {
        sleep_up_to(most, [] {});
    }

    /// Looks around every now and then.
    template <class Look>
    void sleep_up_to(microseconds most, Look look) {
        if (most <= 0us) { return; }
        std::uniform_int_distribution<long> some{0, most.count()};
        const auto until = history::now() + microseconds{some(random_)};
        while (history::now() < until) {
            look();
            if (until - history::now() > 1ms) {
                ::poll(nullptr, 0, 1);
            } else {
                ::sched_yield();
            }
        }
    }

    std::optional<holdfast::lease> ask() {
        const holdfast::acquire_options options{
            .lease = how_.lease, .renew = how_.renew, .note = how_.label};
        if (how_.mode == "shared") {
            holdfast::shared_mutex lock{client_, how_.name};
            if (how_.wait < 0ms) { return lock.acquire_shared(options); }
            return lock.try_acquire_shared_for(how_.wait, options);
        }
        if (how_.mode == "permits") {
            holdfast::counting_semaphore lock{client_, how_.name, how_.limit};
            if (how_.wait < 0ms) { return lock.acquire(how_.permits, options); }
            return lock.try_acquire_for(how_.permits, how_.wait, options);
        }
        if (how_.mode == "writer") {
            holdfast::shared_mutex lock{client_, how_.name};
            if (how_.wait < 0ms) { return lock.acquire(options); }
            return lock.try_acquire_for(how_.wait, options);
        }
        holdfast::mutex lock{client_, how_.name};
        if (how_.wait < 0ms) { return lock.acquire(options); }
        return lock.try_acquire_for(how_.wait, options);
    }

    [[nodiscard]] history::mode recorded_mode() const {
        if (how_.mode == "shared") { return history::mode::shared; }
        return how_.mode == "permits" ? history::mode::permits : history::mode::exclusive;
    }

    void take_once(const std::string& owner) {
        say("asking");
        history_.record(history::requested{how_.name, owner, recorded_mode(), how_.permits,
                                           how_.limit, how_.lease});
        std::optional<holdfast::lease> got;
        try {
            got = ask();
        } catch (const holdfast::error&) {
            history_.record(history::gave_up{how_.name, owner, history::reason::failed});
            throw;
        }
        if (!got) {
            history_.record(history::gave_up{how_.name, owner, history::reason::timeout});
            say("gave_up");
            return;
        }
        hold(*got, owner);
    }

    /// N as far as can be known, at most a millisecond too early: the clock is read first, and once
    /// more, as this process may be stopped in between.
    static stamp valid_until(const holdfast::lease& held) {
        for (;;) {
            const auto now = history::now();
            const auto until = now + held.remaining();
            if (history::now() - now < 1ms) { return until; }
        }
    }

    void hold(holdfast::lease& held, const std::string& owner) {
        granted_at_ = history::now();
        over_at_ = {};
        until_ = valid_until(held);
        history_.record(history::granted{how_.name, owner, held.token(), until_});
        std::atomic<bool> lost{false};
        {
            const std::stop_callback when_lost{
                held.lost(), [&] {
                    const auto fired = history::now();
                    lost = true;
                    history_.record(history::lost{how_.name, owner, until_, fired});
                    say("lost at=" + std::to_string(fired.count()));
                }};
            say("holding " + std::to_string(held.token()));
            if (!how_.counter.empty()) { write(held, owner); }
            if (how_.hold == "told") {
                hold_until_told(held, owner);
            } else {
                sleep_up_to(how_.hold_us, [&] { note_renewal(held, owner); });
            }
        }
        say("releasing");
        if (!lost) { history_.record(history::released{how_.name, owner}); }
        if (!how_.pipelined) { held.release(); } // or else when it goes out of scope
        say("released");
    }

    void write(const holdfast::lease& held, const std::string& owner) {
        const auto begun = history::now();
        const auto accepted = how_.store.empty() || store_.write(held.token());
        std::optional<std::int64_t> value;
        if (accepted && !how_.counter.empty()) { value = counter_.increment(); }
        history_.record(history::wrote{how_.name, owner, held.token(), accepted, begun, value});
        if (how_.hold == "told") { say(accepted ? "accepted" : "refused"); }
    }

    /// A renewal was sent at most a lease before the new end, and after the lease was last seen to
    /// be over.
    void note_renewal(const holdfast::lease& held, const std::string& owner) {
        const auto now = history::now();
        if (!held.valid()) {
            over_at_ = now;
            return;
        }
        const auto until = valid_until(held);
        if (until <= until_.load() + 2ms) { return; }
        until_ = until;
        history_.record(history::renewed{how_.name, owner, until,
                                         std::max({granted_at_, over_at_, until - how_.lease})});
        say("renewed");
    }

    void hold_until_told(const holdfast::lease& held, const std::string& owner) {
        for (auto looked = granted_at_;;) {
            const auto now = history::now();
            const bool valid = held.valid();
            if (now - looked > 300ms) { // it was stopped
                say(std::string{"woke valid="} + (valid ? "1" : "0") +
                    " at=" + std::to_string(now.count()));
            }
            looked = now;
            note_renewal(held, owner);
            pollfd told{STDIN_FILENO, POLLIN, 0};
            if (std::cin.rdbuf()->in_avail() <= 0 && ::poll(&told, 1, 2) <= 0) { continue; }
            std::string word;
            if (!(std::cin >> word) || word == "release") { return; }
            if (word == "write") { write(held, owner); }
        }
    }

    const settings& how_;
    history::recorder history_;
    holdfast::client client_;
    holdfast::test::guarded_store store_;
    holdfast::test::unguarded_counter counter_;
    std::minstd_rand random_;
    std::mutex saying_;
    stamp granted_at_{};
    stamp over_at_{}; ///< when the lease was last seen not to be valid
    std::atomic<stamp> until_{};
};

} // namespace

int main(int count, char** words) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::ios::sync_with_stdio(false); // so that in_avail() knows what has been read
    try {
        flags given{count, words};
        // Whoever started us may have ended before prctl().
        if (const auto parent = given.number("parent", 0); parent != 0 && ::getppid() != parent) {
            return 1;
        }
        const settings how{given};
        taker{how}.run();
        return 0;
    } catch (const std::exception& wrong) {
        std::cout << "failed: " << wrong.what() << std::endl;
        return 1;
    }
}
