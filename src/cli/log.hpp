#pragma once
// The format of the lines on stderr: plain, or with time and level, as text or JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): CLI11's name
namespace CLI {
class App;
} // namespace CLI

namespace holdfast::cli {

/// Syslog's numbers, which journald reads at the beginning of a line.
enum class log_level : std::uint8_t { error = 3, warning = 4, info = 6 };

enum class log_format : std::uint8_t {
    plain, ///< `holdfast: message`
    text,  ///< `2026-11-18T06:10:49.123Z info holdfast: message`
    json,  ///< `{"time":...,"level":"info","message":...}`
};

/// What all lines of this process have in common.
struct log_settings {
    log_format format = log_format::plain;
    std::vector<std::string> locks{}; ///< their names, in JSON; empty: none
    bool to_journal = false;          ///< stderr is journald's: lines begin with `<LEVEL>`
};

/// What a line in JSON has beside its message; docs/metrics.md lists the words. Only ever added to.
struct log_fields {
    std::string_view event{};  ///< empty: none
    std::string_view reason{}; ///< of a loss, or of the end of a command
    /// Digits; of several names with commas between them, in the order of the names. Empty: none.
    std::string token{};
    std::string_view lost_lock{};   ///< the one of several names that was lost; empty: not known
    std::optional<int> exit_code{}; ///< of the command, or of `holdfast`
    std::int64_t guardian_pid = 0;  ///< of a line that the front prints about it; 0: none
};

struct log_message {
    log_level level = log_level::error;
    std::string_view text{};
    log_fields fields{};
};

/// One line, with its newline. `wall_us`: microseconds since 1970.
[[nodiscard]] std::string format_line(const log_settings& settings, const log_message& message,
                                      std::int64_t wall_us, std::int64_t pid);

/// --log, for its help and its check. `begin_log` reads it.
void add_log_flag(CLI::App& subcommand);
/// Sets the format by `--log` among the words of the command line, or by HOLDFAST_LOG_FORMAT; even
/// if the rest of the command line is wrong. A wrong --log leaves the plain format, and the parser
/// refuses it; a wrong variable throws error(invalid_option).
void begin_log(const std::vector<std::string>& words);
/// From now on lines in JSON name these locks.
void set_log_locks(std::vector<std::string> names);
/// Those of this process.
[[nodiscard]] const log_settings& current_log() noexcept;

} // namespace holdfast::cli
