#include "cli/log.hpp"

#include "cli/json_name.hpp"
#include "cli/messages.hpp"
#include "cli/script_output.hpp"

#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace holdfast::cli {

namespace {

log_settings& process_log() noexcept {
    static log_settings all;
    return all;
}

const char* to_string(log_level level) noexcept {
    switch (level) {
    case log_level::error: return "error";
    case log_level::warning: return "warning";
    case log_level::info: return "info";
    }
    return "";
}

/// RFC 3339, in UTC, with milliseconds.
std::string time_text(std::int64_t wall_us) {
    const std::time_t seconds = wall_us / 1'000'000;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 40> text{};
    const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::snprintf(text.data() + length, text.size() - length, ".%03dZ",
                  static_cast<int>(wall_us / 1000 % 1000));
    return text.data();
}

/// systemd sets JOURNAL_STREAM to the device and inode of the streams that it connects to the
/// journal; a redirected stderr has others.
bool stderr_is_journal() {
    const char* const variable = std::getenv("JOURNAL_STREAM"); // NOLINT(concurrency-mt-unsafe)
    struct stat status {};
    if (variable == nullptr || ::fstat(STDERR_FILENO, &status) != 0) { return false; }
    return std::string{variable} ==
           std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino);
}

std::optional<log_format> parse_format(std::string_view word) {
    if (word == "text") { return log_format::text; }
    if (word == "json") { return log_format::json; }
    return std::nullopt;
}

template <class Text>
std::string json_array(const std::vector<std::string>& names, const Text& text) {
    std::string out;
    for (const auto& name : names) { out += (out.empty() ? "" : ",") + text(name); }
    return '[' + out + ']';
}

std::string base64_or_null(const std::string& name) {
    const auto encoded = base64_unless_utf8(name);
    return encoded.empty() ? "null" : '"' + encoded + '"';
}

/// `lock` of several names looks like one name that has commas.
std::string json_locks(const std::vector<std::string>& names) {
    if (names.empty()) { return {}; }
    const auto joined = join_names(names);
    const auto encoded = base64_unless_utf8(joined);
    auto out = ",\"lock\":" + json_quote(joined);
    if (!encoded.empty()) { out += ",\"lock_base64\":\"" + encoded + '"'; }
    if (names.size() == 1) { return out; }
    out += ",\"locks\":" + json_array(names, json_quote);
    if (!encoded.empty()) { out += ",\"locks_base64\":" + json_array(names, base64_or_null); }
    return out;
}

std::string json_token(const std::string& token) {
    if (token.empty()) { return {}; }
    const bool is_one = token.find(',') == std::string::npos;
    return is_one ? ",\"token\":" + token : ",\"tokens\":[" + token + ']';
}

std::string json_fields(const log_fields& fields) {
    std::string out;
    if (!fields.event.empty()) { out += ",\"event\":" + json_quote(fields.event); }
    out += json_token(fields.token);
    if (!fields.lost_lock.empty()) { out += ",\"lost_lock\":" + json_quote(fields.lost_lock); }
    if (!fields.reason.empty()) { out += ",\"reason\":" + json_quote(fields.reason); }
    if (fields.guardian_pid != 0) {
        out += ",\"guardian_pid\":" + std::to_string(fields.guardian_pid);
    }
    if (fields.exit_code) { out += ",\"exit_code\":" + std::to_string(*fields.exit_code); }
    return out;
}

} // namespace

std::string format_line(const log_settings& settings, const log_message& message,
                        std::int64_t wall_us, std::int64_t pid) {
    std::string out;
    if (settings.to_journal) { out = '<' + std::to_string(static_cast<int>(message.level)) + '>'; }
    if (settings.format == log_format::json) {
        out += "{\"time\":\"" + time_text(wall_us) + "\",\"level\":\"" + to_string(message.level) +
               "\",\"pid\":" + std::to_string(pid) + json_locks(settings.locks) +
               json_fields(message.fields);
        return out + ",\"message\":" + json_quote(message.text) + "}\n";
    }
    if (settings.format == log_format::text && !settings.to_journal) { // journald adds both
        out += time_text(wall_us) + ' ' + to_string(message.level) + ' ';
    }
    return (out += "holdfast: ").append(message.text) += '\n';
}

void add_log_flag(CLI::App& subcommand) {
    subcommand
        .add_option(
            "--log", // begin_log() has read its value
            [](const CLI::results_t& values) {
                if (parse_format(values.front())) { return true; }
                throw CLI::ValidationError{"--log",
                                           "'" + values.front() + "' is not one of text, json"};
            },
            "The lines on stderr with time and level: text, or json for programs (also: "
            "HOLDFAST_LOG_FORMAT)")
        ->type_name("FORMAT");
}

void begin_log(const std::vector<std::string>& words) {
    process_log().to_journal = stderr_is_journal();
    const char* const variable =
        std::getenv("HOLDFAST_LOG_FORMAT"); // NOLINT(concurrency-mt-unsafe)
    const std::string_view word = variable == nullptr ? "" : variable;
    auto format = parse_format(word);
    if (!format && !word.empty()) {
        throw error{errc::invalid_option,
                    "HOLDFAST_LOG_FORMAT: '" + std::string{word} + "' is not one of text, json"};
    }
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string_view option = words[at];
        if (option == "--log" && at + 1 < words.size()) { format = parse_format(words[at + 1]); }
        if (option.starts_with("--log=")) { format = parse_format(option.substr(6)); }
    }
    process_log().format = format.value_or(log_format::plain);
}

void set_log_locks(std::vector<std::string> names) { process_log().locks = std::move(names); }

const log_settings& current_log() noexcept { return process_log(); }

} // namespace holdfast::cli
