#include "cli/messages.hpp"

#include "holdfast/base/clock.hpp"
#include "holdfast/base/quote.hpp"

#include <algorithm>
#include <cstddef>
#include <unistd.h>

namespace holdfast::cli {

void print_message(std::string_view text, log_level level) noexcept {
    const auto line =
        format_line(current_log(), level, text, base::system_time().wall_us(), ::getpid());
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

void print_message(const run_settings& settings, std::string_view text, log_level level) noexcept {
    if (settings.verbosity != verbosity::quiet) { print_message(text, level); }
}

std::string quote_name(std::string_view name) { return base::quote(name); }

std::string quote_names(const std::vector<std::string>& names) {
    std::string out;
    for (const auto& name : names) { out += (out.empty() ? "" : ", ") + quote_name(name); }
    return out;
}

std::string join_names(const std::vector<std::string>& names) {
    std::string out;
    for (const auto& name : names) { out += (out.empty() ? "" : ",") + name; }
    return out;
}

std::string escape_text(std::string_view text) {
    constexpr std::size_t chunk = 80; // quote() cuts longer text
    std::string out;
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) {
        const auto quoted = base::quote(text.substr(0, chunk));
        const auto end = quoted.size() - 1;
        for (std::size_t at = 1; at < end; ++at) {
            const bool escapes = quoted[at] == '\\';
            if (escapes && quoted[at + 1] != '"') { out += quoted[at]; } // of itself, or of \x..
            if (escapes) { ++at; }
            out += quoted[at];
        }
    }
    return out;
}

std::string busy_message(std::string_view name, std::string_view holders) {
    std::string out = quote_name(name) + " is ";
    out += holders.empty() ? "held by someone else" : holders;
    return out + "; try again later, or wait longer (--wait)";
}

std::string release_failure(std::string_view name, const std::exception& failure) {
    return quote_name(name) + " could not be released: " + failure.what();
}

} // namespace holdfast::cli
