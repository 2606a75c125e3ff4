#include "cli/place.hpp"

#include "cli/messages.hpp"

#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdlib>
#include <fstream>

namespace holdfast::cli {

void add_place(CLI::App& to, place_options& where) {
    auto* const url =
        to.add_option("--url", where.url,
                      "The engine: embedded:, embedded:/path, redis://host (also: HOLDFAST_URL)")
            ->type_name("URL");
    to.add_option("--url-file", where.url_file, "Read the URL from the first line of this file")
        ->type_name("FILE")
        ->excludes(url);
}

namespace {

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
    if (!where.url_file.empty()) {
        std::ifstream file{where.url_file};
        std::string line;
        if (!std::getline(file, line) || line.empty()) {
            throw error{errc::invalid_option,
                        "--url-file " + where.url_file + ": no URL on its first line"};
        }
        return line;
    }
    const char* const variable = std::getenv("HOLDFAST_URL"); // NOLINT(concurrency-mt-unsafe)
    return variable == nullptr ? std::string{} : variable;
}

} // namespace

std::string url_of(const place_options& where) {
    auto out = given_url(where);
    if (out.starts_with("memory:")) {
        throw error{errc::invalid_option,
                    "memory: is for threads of one process, and keeps no other command away; use "
                    "embedded: or redis://host"};
    }
    return out;
}

} // namespace holdfast::cli
