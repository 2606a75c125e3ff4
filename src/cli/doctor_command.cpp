// doctor: whether the place of the locks is set up safely, and what to do if it is not.

#include "cli/commands.hpp"
#include "cli/engine_flags.hpp"
#include "cli/exit_codes.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/script_output.hpp"
#include "cli/signals.hpp"

#include <holdfast/diagnose.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

namespace holdfast::cli {

namespace {

struct doctor_flags {
    engine_flags engine;
    bool json = false;
    bool quiet = false;
    bool no_trial = false;
};

std::string json_line(const finding& finding) {
    return "{\"check\":" + json_quote(finding.check) +
           ",\"severity\":" + json_quote(to_string(finding.severity)) +
           ",\"subject\":" + json_quote(finding.subject) + ",\"text\":" + json_quote(finding.text) +
           ",\"remedy\":" + json_quote(finding.remedy) + "}\n";
}

/// The word of a severity, in colour on a terminal, and as wide as the longest.
std::string severity_word(severity severity, bool colour) {
    constexpr std::size_t width = 9;
    std::string word = to_string(severity);
    const std::string blanks(width - word.size(), ' ');
    if (!colour) { return word + blanks; }
    const char* const code = severity == severity::ok        ? "\033[32m"
                             : severity == severity::warning ? "\033[33m"
                                                             : "\033[1;31m";
    return code + word + "\033[0m" + blanks;
}

std::string text_lines(const finding& finding, bool colour) {
    auto out = severity_word(finding.severity, colour) + escape_text(finding.subject) + "  " +
               escape_text(finding.check) + ": " + escape_text(finding.text) + "\n";
    if (!finding.remedy.empty()) { out += "         do: " + escape_text(finding.remedy) + "\n"; }
    return out;
}

std::string summary(const std::vector<finding>& findings) {
    std::array<std::size_t, 3> counts{};
    for (const auto& each : findings) { ++counts.at(static_cast<std::size_t>(each.severity)); }
    const auto plural = [](std::size_t count, const char* word) {
        return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
    };
    return plural(counts[2], "danger") + ", " + plural(counts[1], "warning") + ", " +
           std::to_string(counts[0]) + " ok\n";
}

int exit_code_for(severity severity) {
    switch (severity) {
    case severity::ok: return exit_code::ok;
    case severity::warning: return exit_code::doctor_warning;
    case severity::danger: return exit_code::doctor_danger;
    }
    return exit_code::internal;
}

std::vector<finding> examine(const engine_address& address, const diagnose_options& options) {
    try {
        return diagnose(address.url.empty() ? "embedded:" : address.url, options);
    } catch (const error& failure) {
        throw_if_url(failure, address);
        throw;
    }
}

int doctor(const doctor_flags& flags) {
    ignore_limit_signals();
    const auto address = parse_engine_flags(flags.engine);
    diagnose_options options{.trial_lock = !flags.no_trial};
    if (!flags.engine.connect_wait.empty()) { options.timeout = address.options.connect_wait; }
    auto findings = examine(address, options);
    std::stable_sort(findings.begin(), findings.end(),
                     [](const auto& a, const auto& b) { return a.severity > b.severity; });
    // NOLINTNEXTLINE(concurrency-mt-unsafe)
    const bool colour = ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
    std::string out;
    for (const auto& each : findings) {
        if (flags.quiet && each.severity == severity::ok) { continue; }
        out += flags.json ? json_line(each) : text_lines(each, colour);
    }
    if (!flags.json) { out += summary(findings); }
    if (!print(out)) {
        print_message("the findings could not be written; check where stdout goes");
        return exit_code::internal;
    }
    return exit_code_for(worst_of(findings));
}

} // namespace

void add_doctor(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<doctor_flags>();
    auto* const sub =
        app.add_subcommand("doctor", "Examine the engine: is it safe for locks, and what to do");
    add_engine_flags(*sub, flags->engine);
    sub->get_option("--connect-wait")
        ->description("How long each server may take to connect and to answer; default 2s");
    sub->add_flag("--json", flags->json, "Print each finding as a line of JSON");
    sub->add_flag("-q,--quiet", flags->quiet, "Print warnings and dangers only");
    sub->add_flag("--no-trial", flags->no_trial, "Do not acquire and release a trial lock");
    sub->footer("Exit code 0: all is well. 1: warnings. 2: a danger: locks do not work, or two\n"
                "holders are possible.\n"
                "REDIS SERVERS in holdfast(1) says what to set on a server.\n"
                "Example:\n  holdfast doctor --url-file /etc/shop/locks.url");
    sub->callback([flags, &chosen] { chosen = [flags] { return doctor(*flags); }; });
}

} // namespace holdfast::cli
