#include "cli/process_command.hpp"

#include "holdfast/base/clock.hpp"
#include "holdfast/base/process.hpp"

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace holdfast::cli {

namespace {

using std::chrono::seconds;

/// Since boot; empty text or another format gives 0, which is older than everything.
std::chrono::duration<double> start_time(const std::string& stat) {
    constexpr int start_field = 20; // behind the name, which is in brackets
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos) { return {}; }
    std::istringstream fields{stat.substr(name_end + 1)};
    std::string field;
    for (int at = 0; at < start_field && fields >> field; ++at) {}
    const double ticks = std::strtod(field.c_str(), nullptr);
    return std::chrono::duration<double>{ticks / static_cast<double>(::sysconf(_SC_CLK_TCK))};
}

bool is_younger_than_hold(const std::string& folder, const party& party) {
    constexpr seconds tolerance{2}; // clock ticks, and a clock that was set meanwhile
    const auto now = base::boot_clock::now().time_since_epoch();
    const auto started = start_time(base::read_small_file((folder + "/stat").c_str()));
    return started > std::chrono::duration<double>{now - party.age + tolerance};
}

} // namespace

std::string process_command(const party& party) {
    static const std::string this_host = base::host_name();
    if (party.pid <= 0 || party.host != this_host) { return {}; }
    const auto folder = "/proc/" + std::to_string(party.pid);
    const auto line = base::read_small_file((folder + "/cmdline").c_str());
    if (line.empty() || is_younger_than_hold(folder, party)) { return {}; }
    std::string_view rest = line;
    const std::string_view separator{"\0--\0", 4};
    if (const auto at = rest.find(separator); at != std::string_view::npos) {
        rest.remove_prefix(at + separator.size());
    }
    std::string out{rest.substr(0, rest.find_last_not_of('\0') + 1)};
    for (char& letter : out) {
        if (letter == '\0') { letter = ' '; }
    }
    return out;
}

} // namespace holdfast::cli
