// holdfast events: follows grants and ends of holds.

#include "cli/commands.hpp"
#include "cli/duration.hpp"
#include "cli/engine_flags.hpp"
#include "cli/error_words.hpp"
#include "cli/exit_codes.hpp"
#include "cli/hold_changes.hpp"
#include "cli/json_name.hpp"
#include "cli/lock_json.hpp"
#include "cli/lock_walk.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/party_text.hpp"
#include "cli/script_output.hpp"
#include "cli/url_form.hpp"

#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace holdfast::cli {

namespace {

struct events_flags {
    engine_flags engine;
    std::vector<std::string> patterns;
    std::string interval = "1s";
    bool json = false;
};

std::string as_text(const hold_change& change, const std::string& time) {
    const bool has_ended = change.type != hold_change::kind::granted;
    std::string out = time.substr(1, time.size() - 2) + " " + to_string(change.type) + " " +
                      quote_name(change.lock) + " " +
                      describe(change.holder, has_ended ? " for at most " : " for ");
    if (change.holder.token != 0) { out += ", token " + std::to_string(change.holder.token); }
    return out + "\n";
}

/// Compares one walk over the locks with the next.
class event_follower {
public:
    event_follower(const client& client, const events_flags& flags)
        : admin_{client}, walk_{client, flags.patterns}, json_{flags.json} {}

    /// Throws holdfast::error; what was not compared yet is compared by the next call. False:
    /// stdout cannot be written to.
    bool compare() {
        changes_.begin_walk();
        walk_.each_page([this](const std::vector<lock_info>& page) {
            for (const auto& lock : page) { print_all(changes_.add(lock, now())); }
            return writable_;
        });
        for (const auto& key : changes_.absent()) {
            if (!is_held_by(admin_.inspect(key.lock), key.owner)) {
                report(changes_.remove(key, now()));
            }
        }
        first_ = false;
        return writable_;
    }

private:
    static base::instant now() { return base::boot_clock::now(); }

    void print_all(const std::vector<hold_change>& changes) {
        for (const auto& change : changes) { report(change); }
    }

    /// The first walk shows what is held at the start: these are no changes.
    void report(const hold_change& change) {
        if (first_ || change.holder.resting) { return; }
        const auto time = json_time(std::chrono::system_clock::now());
        const auto line = json_ ? "{\"event\": \"" + std::string{to_string(change.type)} +
                                      "\", \"time\": " + time + ", " + json_name(change.lock) +
                                      ", " + holder_members(change.holder, change.command) + "}\n"
                                : as_text(change, time);
        writable_ = print(line) && writable_;
    }

    admin admin_;
    lock_walk walk_;
    hold_changes changes_;
    bool json_;
    bool first_ = true;
    bool writable_ = true;
};

int events(const events_flags& flags) {
    const auto interval = parse_positive_duration("--interval", flags.interval);
    const auto client = parse_engine_flags(flags.engine).open();
    event_follower follower{client, flags};
    bool works = follower.compare(); // an engine that cannot be used at the start is an error
    print_message("engines push no events to observers: comparing all locks every " +
                  format_duration(interval) + "; a hold that is shorter than that is not seen");
    bool failing = false;
    while (works) {
        std::this_thread::sleep_for(interval);
        try {
            works = follower.compare();
            if (std::exchange(failing, false)) { print_message("the engine answers again"); }
        } catch (const error& problem) {
            if (!std::exchange(failing, true)) {
                print_message(command_failure(problem.what(), "events"));
            }
        }
    }
    return exit_code::internal; // stdout cannot be written to
}

constexpr const char* events_notes = R"(Examples:
  holdfast events                      all locks, until Ctrl-C
  holdfast events --json 'stock:*'     a JSON object per event and line

Events: granted; ended: the hold ended before its lease was over: it was released, broken, or
forgotten by the engine; expired: its lease ran out. No engine pushes these events, so it walks
over all locks each --interval and compares: holds that begin and end between two walks are not
seen, and the memory grows with the number of holds. Holds that exist at the start are not
printed (ls shows them), but their ends are. If the engine does not answer later, events says so
and goes on.)";

} // namespace

void add_events(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<events_flags>();
    auto* const sub = app.add_subcommand("events", "Follow grants and ends of holds");
    sub->footer(events_notes);
    sub->add_option("PATTERN", flags->patterns, "Names, or patterns with * and ?; default: all")
        ->check(refuse_url);
    sub->add_option("--interval", flags->interval, "The pause between two walks; default 1s")
        ->type_name("DUR");
    sub->add_flag("--json", flags->json, "Print a JSON object per event and line");
    add_engine_flags(*sub, flags->engine);
    sub->callback([flags, &chosen] { chosen = [flags] { return events(*flags); }; });
}

} // namespace holdfast::cli
