// holdfast top: the locks, refreshed in place.

#include "cli/commands.hpp"
#include "cli/duration.hpp"
#include "cli/error_exit_code.hpp"
#include "cli/error_words.hpp"
#include "cli/exit_codes.hpp"
#include "cli/full_screen.hpp"
#include "cli/number_check.hpp"
#include "cli/output.hpp"
#include "cli/printable.hpp"
#include "cli/sampler_thread.hpp"
#include "cli/signals.hpp"
#include "cli/url_form.hpp"

#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>
#include <memory>
#include <poll.h>
#include <thread>
#include <unistd.h>

namespace holdfast::cli {

namespace {

constexpr unsigned most_refreshes = 1'000'000'000;

struct top_flags {
    engine_flags engine;
    std::vector<std::string> patterns;
    std::string interval = "1s";
    std::string sort = "waiters";
    unsigned count = 0;
};

std::string clock_text() {
    const auto now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 16> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &parts)};
}

std::string summary(const lock_sample& sample, const engine_address& engine) {
    return "holdfast top " + clock_text() + "  " + engine.label() + "  locks " +
           std::to_string(sample.all_locks) + ", holders " + std::to_string(sample.all_holders) +
           ", waiters " + std::to_string(sample.all_waiters);
}

std::string rows(const lock_sample& sample, const table_style& style, std::size_t most) {
    text_table table{lock_titles(), style};
    for (std::size_t at = 0; at < sample.locks.size() && at < most; ++at) {
        add_rows(table, sample.locks[at]);
    }
    return table.take_text();
}

/// Without a terminal: a block of plain lines per sample.
int print_samples(const sample_settings& settings, lock_order order, unsigned count) {
    const auto client = settings.engine.open();
    const lock_walk walk{client, settings.patterns};
    for (unsigned done = 1;; ++done) {
        const auto sample = take_sample(walk, order);
        if (!print(summary(sample, settings.engine) + "\n" + rows(sample, {}, most_in_sample))) {
            return exit_code::internal;
        }
        if (done == count) { return exit_code::ok; }
        std::this_thread::sleep_for(settings.interval);
    }
}

/// `top` on a terminal. The caller ends the process after run(): see sampler_thread.
class top_screen {
public:
    top_screen(const sample_settings& settings, lock_order order, unsigned count)
        : engine_{settings.engine},
          count_{count},
          order_{order},
          signals_{not_ignored()},
          sampler_{settings, order} {}

    /// Returns the signal that ended it; 0: the user quits, or `count` samples were shown.
    int run() {
        while (!done_) {
            std::array<pollfd, 3> all{pollfd{STDIN_FILENO, POLLIN, 0},
                                      pollfd{signals_.descriptor(), POLLIN, 0},
                                      pollfd{sampler_.descriptor(), POLLIN, 0}};
            ::poll(all.data(), all.size(), -1);
            while (const auto signal = signals_.next()) { on_signal(signal->number); }
            if (all[0].revents != 0) { read_keys(); }
            done_ = done_ || (all[0].revents & (POLLHUP | POLLERR)) != 0; // the terminal is gone
            if (auto result = sampler_.take()) { on_result(*result); }
            if (!done_) { draw(); }
        }
        screen_.suspend();
        return last_signal_;
    }

private:
    static std::vector<int> not_ignored() {
        const signal_state current;
        std::vector<int> out{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
        std::erase_if(out, [&](int signal) { return current.ignored(signal); });
        return out;
    }

    void on_signal(int signal) {
        if (signal == SIGWINCH || signal == SIGCONT) { return; } // draws anew
        if (signal != SIGTSTP) {
            last_signal_ = signal;
            done_ = true;
            return;
        }
        screen_.suspend();
        ::raise(SIGSTOP); // until SIGCONT
        screen_.resume();
    }

    void read_keys() {
        while (const auto key = full_screen::read_key()) {
            switch (*key) {
            case 'q': done_ = true; return;
            case 'w': sort_by(lock_order::waiters); break;
            case 'a': sort_by(lock_order::age); break;
            case 'n': sort_by(lock_order::name); break;
            case 'l': sort_by(lock_order::left); break;
            case ' ': sampler_.refresh(order_); break;
            default: break;
            }
        }
    }

    void sort_by(lock_order order) {
        order_ = order;
        sort_locks(sample_.locks, order);
        sampler_.refresh(order); // other locks may be the first ones now
    }

    void on_result(const sampler_thread::result& result) {
        if (result.problem) { return on_problem(result.problem); }
        failure_.clear();
        sample_ = result.sample;
        if (++shown_ == count_) { done_ = true; }
    }

    /// An engine that is down may come back; a wrong option does not change.
    void on_problem(const std::exception_ptr& problem) {
        try {
            std::rethrow_exception(problem);
        } catch (const error& error) {
            if (exit_code_for(error) == exit_code::usage) {
                screen_.suspend();
                throw;
            }
            failure_ = command_failure(error.what(), "top");
        }
    }

    void draw() const {
        const auto width = stdout_width();
        auto head = summary(sample_, engine_);
        auto keys = std::string{"[w]aiters [a]ge [n]ame [l]eft: sort; space: refresh; [q]uit"};
        if (!failure_.empty()) { keys = "the last rows that are known; " + failure_; }
        if (width > 0) {
            head.resize(cut(head, width).size());
            keys.resize(cut(keys, width).size());
        }
        full_screen::draw(head + "\n" + keys + "\n" +
                          rows(sample_, {stdout_has_colours(), width}, full_screen::height()));
    }

    const engine_address engine_;
    const unsigned count_;
    lock_order order_;
    signal_queue signals_;
    sampler_thread sampler_;
    full_screen screen_;
    lock_sample sample_;
    std::string failure_;
    unsigned shown_ = 0;
    int last_signal_ = 0;
    bool done_ = false;
};

int top(const top_flags& flags) {
    const sample_settings settings{parse_engine_flags(flags.engine), flags.patterns,
                                   parse_positive_duration("--interval", flags.interval)};
    const auto order = *parse_lock_order(flags.sort);
    if (!full_screen::is_available()) { return print_samples(settings, order, flags.count); }
    const int signal = top_screen{settings, order, flags.count}.run();
    if (signal != 0) { die_of(signal); }
    ::_exit(exit_code::ok); // the sampler's thread may still wait for the engine
}

constexpr const char* top_notes =
    R"(Keys: w, a, n, l sort by waiters, age, name or what is left; space refreshes; q quits.

Each refresh walks over all locks, page by page, and keeps the first 1,000. Without a terminal
it prints a block of plain lines per refresh; --count ends it.

If the engine does not answer, a terminal keeps the last rows and says why. Without a terminal
top exits with 69 after --connect-wait; events goes on.)";

} // namespace

void add_top(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<top_flags>();
    auto* const sub = app.add_subcommand("top", "Show the locks, refreshed in place");
    sub->footer(top_notes);
    sub->add_option("PATTERN", flags->patterns, "Names, or patterns with * and ?; default: all")
        ->check(refuse_url);
    sub->add_option("--interval", flags->interval, "The pause between two refreshes; default 1s")
        ->type_name("DUR");
    sub->add_option("--sort", flags->sort, "By waiters (default), age, name, left or token")
        ->type_name("KEY")
        ->check(CLI::IsMember({"name", "age", "waiters", "left", "token"}));
    sub->add_option("-c,--count", flags->count, "Refresh N times, then exit; default: no limit")
        ->type_name("N")
        ->check(whole_number(1, most_refreshes));
    add_engine_flags(*sub, flags->engine);
    sub->callback([flags, &chosen] { chosen = [flags] { return top(*flags); }; });
}

} // namespace holdfast::cli
