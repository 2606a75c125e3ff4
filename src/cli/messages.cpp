#include "cli/messages.hpp"

#include "holdfast/base/clock.hpp"

#include <unistd.h>

namespace holdfast::cli {

namespace {

/// JSON is UTF-8 in each locale.
bool prints_utf8() noexcept { return current_log().format == log_format::json || locale_is_utf8(); }

} // namespace

void print_message(std::string_view text, log_level level, const log_fields& fields) noexcept {
    const auto shown = prints_utf8() ? std::string{text} : escape_non_ascii(text);
    const auto line = format_line(current_log(), {level, shown, fields},
                                  base::system_time().wall_us(), ::getpid());
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

void print_message(const run_settings& settings, std::string_view text, log_level level,
                   const log_fields& fields) noexcept {
    if (settings.verbosity != verbosity::quiet) { print_message(text, level, fields); }
}

std::string quote_name(std::string_view name) {
    const bool utf8 = prints_utf8();
    if (escape_text(name, utf8) != name) { return name_text(name, utf8); }
    std::string out = "\"";
    for (const char letter : name) {
        if (letter == '"' || letter == '\\') { out += '\\'; }
        out += letter;
    }
    return out + '"';
}

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

std::string busy_message(std::string_view name, std::string_view holders) {
    std::string out = quote_name(name) + " is ";
    out += holders.empty() ? "held by someone else" : holders;
    return out + "; try again later, or wait longer (--wait)";
}

} // namespace holdfast::cli
