// holdfast web: the locks as a page in the browser.

#include "cli/commands.hpp"
#include "cli/duration.hpp"
#include "cli/error_exit_code.hpp"
#include "cli/error_words.hpp"
#include "cli/exit_codes.hpp"
#include "cli/lock_walk.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/url_form.hpp"
#include "cli/web/web_service.hpp"
#include "cli/web/web_token.hpp"
#include "holdfast/base/process.hpp"

#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <memory>
#include <poll.h>
#include <stdexcept>
#include <system_error>

namespace holdfast::cli {

namespace {

struct web_flags {
    engine_flags engine;
    std::vector<std::string> patterns;
    std::string listen = "127.0.0.1:8470";
    std::string token_file;
    std::string refresh = "1s";
    bool read_only = false;
    bool allow_remote = false;
};

[[noreturn]] void refuse_listening(const std::string& address, const std::string& reason) {
    throw error{errc::invalid_option, "--listen " + address + ": " + reason};
}

base::fd open_listener(const web_flags& flags, const http::listen_address& address) {
    try {
        auto out = http::listen_on(address);
        if (!http::is_loopback(out.get()) && !flags.allow_remote) {
            refuse_listening(flags.listen,
                             "other hosts can reach this address, and the page is not encrypted: "
                             "whoever reads the traffic gets the token and can break locks; use "
                             "127.0.0.1 and 'ssh -L', or add --allow-remote to take that risk");
        }
        return out;
    } catch (const error&) {
        throw; // a system_error, too
    } catch (const std::system_error& problem) {
        refuse_listening(flags.listen, "cannot listen there (" + std::string{problem.what()} +
                                           "); name another port, or port 0 for a free one");
    }
}

http::listen_address parse_listen(const std::string& text) {
    try {
        return http::listen_address::parse(text);
    } catch (const std::invalid_argument& problem) { refuse_listening(text, problem.what()); }
}

/// A URL or a pattern that can never work is an error now, and not only on the page. An engine that
/// is down may come back.
void check_engine(const web_settings& settings) {
    try {
        const auto client = settings.engine.open();
        lock_walk{client, settings.patterns}.each_page([](const auto&) { return false; });
    } catch (const error& problem) {
        if (exit_code_for(problem) == exit_code::usage) { throw; }
        print_message(command_failure(problem.what(), "web") + "; the page shows when it answers",
                      log_level::warning);
    }
}

/// The host names that requests may name beside localhost.
std::vector<std::string> page_names(const web_flags& flags, const http::listen_address& address) {
    std::vector<std::string> out{address.host};
    if (flags.allow_remote) { out.push_back(base::host_name()); }
    return out;
}

int web(const web_flags& flags) {
    const web_settings settings{parse_engine_flags(flags.engine), flags.patterns,
                                parse_positive_duration("--refresh", flags.refresh),
                                flags.read_only};
    const auto address = parse_listen(flags.listen);
    const auto secret =
        flags.token_file.empty() ? make_web_token() : read_web_token(flags.token_file);
    auto listener = open_listener(flags, address);
    check_engine(settings);
    termination_signals signals; // before the threads, which inherit the mask
    const auto local = http::local_address(listener.get());
    const auto port = local.substr(local.rfind(':') + 1);
    if (!print("http://" + local + "/?token=" + secret + "\n")) { return exit_code::internal; }
    {
        web_service service{settings, {secret, port, page_names(flags, address)}};
        const http::http_server server{std::move(listener), service.server_settings()};
        while (!signals.arrived()) {
            pollfd waits{signals.descriptor(), POLLIN, 0};
            ::poll(&waits, 1, -1);
        }
    }
    die_of(signals.number()); // the threads that are detached may still wait for the engine
}

constexpr const char* web_notes = R"(Examples:
  holdfast web                        prints a URL; open it in a browser
  holdfast web --read-only 'stock:*'  some locks, and no breaking
  ssh -L 8470:127.0.0.1:8470 HOST     on your desk: the page of another host

The URL has a token: whoever knows it sees the locks and can break them. The page follows the
locks while it is open, at most 200 rows; the filter is applied to all locks. It breaks the hold
that you confirm, and no later one. Ends with SIGINT or SIGTERM.)";

} // namespace

void add_web(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<web_flags>();
    auto* const sub = app.add_subcommand("web", "Show the locks as a page in the browser");
    sub->footer(web_notes);
    sub->add_option("PATTERN", flags->patterns, "Names, or patterns with * and ?; default: all")
        ->check(refuse_url);
    sub->add_option("--listen", flags->listen,
                    "PORT, HOST:PORT or [IPv6]:PORT; port 0: a free one; default 127.0.0.1:8470")
        ->type_name("ADDR");
    sub->add_option("--token-file", flags->token_file,
                    "Read the token from the first line of this file; default: a new one")
        ->type_name("FILE");
    sub->add_option("--refresh", flags->refresh,
                    "The pause between two walks over the locks; default 1s")
        ->type_name("DUR");
    sub->add_flag("--read-only", flags->read_only, "The page cannot break locks");
    sub->add_flag("--allow-remote", flags->allow_remote,
                  "Listen where other hosts can reach it, without encryption: whoever reads the "
                  "traffic gets the token and can break locks");
    add_engine_flags(*sub, flags->engine);
    sub->callback([flags, &chosen] { chosen = [flags] { return web(*flags); }; });
}

} // namespace holdfast::cli
