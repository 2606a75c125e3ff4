#include "cli/place.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"

#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace holdfast::cli {

void add_place(CLI::App& to, place_options& where) {
    auto* const url =
        to.add_option("--url", where.url,
                      "The engine: embedded:, embedded:/path, redis://host (also: HOLDFAST_URL)")
            ->type_name("URL");
    to.add_option("--url-file", where.url_file, "Read the URL from the first line of this file")
        ->type_name("FILE")
        ->excludes(url);
    to.add_option("--connect-wait", where.connect_wait,
                  "How long to try an engine that cannot be reached or does not answer; default 5s")
        ->type_name("DUR");
}

namespace {

/// Without blanks and carriage returns at its end, which editors and secret stores add.
std::string first_line_of(const std::string& path) {
    const auto refuse = [&](const std::string& why) {
        throw error{errc::invalid_option, "--url-file " + path + ": " + why};
    };
    std::error_code wrong;
    if (std::filesystem::is_directory(path, wrong)) { refuse("it is a directory"); }
    std::ifstream file{path};
    if (!file) { refuse(std::generic_category().message(errno)); }
    std::string line;
    std::getline(file, line);
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) { refuse("there is no URL on its first line"); }
    return line;
}

std::string given_url(const place_options& where) {
    if (!where.url.empty()) {
        const auto authority = where.url.find("//");
        const auto at = where.url.find('@');
        if (authority != std::string::npos && at != std::string::npos &&
            where.url.substr(authority + 2, at - authority - 2).find(':') != std::string::npos) {
            tell("a password in --url can be seen by every user of this machine; use --url-file "
                 "or HOLDFAST_URL");
        }
        return where.url;
    }
    if (!where.url_file.empty()) { return first_line_of(where.url_file); }
    const char* const variable = std::getenv("HOLDFAST_URL"); // NOLINT(concurrency-mt-unsafe)
    return variable == nullptr ? std::string{} : variable;
}

/// A program chooses the layout for each lock; a command has only the URL to do it.
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
                            " has no effect without layout=plain or layout=redisson"};
        }
    }
}

} // namespace

place place_of(const place_options& where) {
    place out{given_url(where)};
    if (out.url.starts_with("memory:")) {
        throw error{
            errc::invalid_option,
            "memory: is for threads of one process and excludes no other command; use embedded: "
            "or redis://host"};
    }
    refuse_options_without_layout(out.url);
    if (!where.connect_wait.empty()) {
        out.options.connect_wait = some_time("--connect-wait", where.connect_wait);
    }
    return out;
}

} // namespace holdfast::cli
