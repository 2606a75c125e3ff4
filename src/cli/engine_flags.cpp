#include "cli/engine_flags.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"
#include "cli/secret_file.hpp"
#include "cli/url_form.hpp"

#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdlib>
#include <string_view>

namespace holdfast::cli {

void add_engine_flags(CLI::App& subcommand, engine_flags& flags) {
    auto* const url =
        subcommand
            .add_option("--url", flags.url,
                        "The engine: embedded:, embedded:/path, redis://host, "
                        "redis+cluster://host1,host2,host3, redlock://host1,host2,host3 (also: "
                        "HOLDFAST_URL)")
            ->type_name("URL");
    subcommand
        .add_option("--url-file", flags.url_file, "Read the URL from the first line of this file")
        ->type_name("FILE")
        ->excludes(url);
    subcommand
        .add_option(
            "--connect-wait", flags.connect_wait,
            "How long to try an engine that cannot be reached or does not answer, at the start and "
            "while waiting for a lock, before exit 69; default 5s. --wait and --no-wait end it "
            "sooner")
        ->type_name("DUR");
}

namespace {

bool has_password(const std::string& url) {
    const auto authority = url.find("//");
    const auto at = url.find('@');
    const bool has_user =
        authority != std::string::npos && at != std::string::npos &&
        url.substr(authority + 2, at - authority - 2).find(':') != std::string::npos;
    return has_user || url.find("sentinel_password=") != std::string::npos;
}

std::string url_of_file(const std::string& path) {
    auto url = read_secret_file("--url-file", path, "URL");
    if (has_password(url)) { warn_if_others_read("--url-file", path, "its password"); }
    return url;
}

engine_address given_url(const engine_flags& flags) {
    if (!flags.url.empty()) {
        if (has_password(flags.url)) {
            print_message("every user of this machine can see a password in --url; use --url-file "
                          "or HOLDFAST_URL",
                          log_level::warning);
        }
        return {flags.url};
    }
    if (!flags.url_file.empty()) {
        return {url_of_file(flags.url_file), {}, "--url-file " + escape_text(flags.url_file)};
    }
    const char* const variable = std::getenv("HOLDFAST_URL"); // NOLINT(concurrency-mt-unsafe)
    if (variable == nullptr) { return {}; }
    // Most often a variable that was not set: a lock on this host only would exclude nobody else.
    if (*variable == '\0') {
        throw error{errc::invalid_option, "HOLDFAST_URL: it is empty; name an engine, or unset it "
                                          "for the file of this user"};
    }
    return {variable, {}, "HOLDFAST_URL"};
}

/// A program sets the layout of each lock; the command has only the URL for that.
void refuse_options_without_layout(const std::string& url) {
    const auto query = url.find('?');
    if (query == std::string::npos) { return; }
    const auto has = [rest = '&' + url.substr(query + 1)](const std::string& option) {
        return rest.find('&' + option + '=') != std::string::npos;
    };
    if (has("layout")) { return; }
    for (const char* const option : {"key_prefix", "fencing", "sharded"}) {
        if (has(option)) {
            throw error{errc::invalid_option,
                        std::string{"URL: "} + option +
                            " has no effect without a layout; add layout=plain or layout=redisson"};
        }
    }
}

} // namespace

std::string engine_address::label() const {
    if (url.empty()) { return "embedded:"; }
    auto out = url.substr(0, url.find('?'));
    const auto authority = out.find("//");
    const auto at = out.rfind('@');
    if (authority != std::string::npos && at != std::string::npos) {
        out.erase(authority + 2, at - authority - 1);
    }
    return out;
}

client engine_address::open() const {
    try {
        return client{url.empty() ? "embedded:" : url, options};
    } catch (const error& failure) {
        throw_if_url(failure, *this);
        throw;
    }
}

void throw_if_url(const error& failure, const engine_address& address) {
    constexpr std::string_view subject = "URL: ";
    const std::string_view text = failure.what();
    if (address.origin.empty() || !text.starts_with(subject)) { return; }
    throw error{static_cast<errc>(failure.code().value()),
                address.origin + ": " + std::string{text.substr(subject.size())}};
}

namespace {

void check_url(const engine_address& address) {
    try {
        if (!address.url.empty()) { check_url_form(address.url); }
        refuse_options_without_layout(address.url);
    } catch (const error& failure) {
        throw_if_url(failure, address);
        throw;
    }
}

} // namespace

engine_address parse_engine_flags(const engine_flags& flags) {
    auto out = given_url(flags);
    if (out.url.starts_with("memory:")) {
        throw error{
            errc::invalid_option,
            "memory: is for threads of one process and excludes no other command; use embedded: "
            "or redis://host"};
    }
    check_url(out);
    if (!flags.connect_wait.empty()) {
        out.options.connect_wait = parse_positive_duration("--connect-wait", flags.connect_wait);
    }
    return out;
}

} // namespace holdfast::cli
