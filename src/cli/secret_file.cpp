#include "cli/secret_file.hpp"

#include "cli/messages.hpp"

#include <holdfast/error.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace holdfast::cli {

std::string read_secret_file(const std::string& option, const std::string& path,
                             const std::string& content) {
    const auto fail = [&](const std::string& reason) {
        throw error{errc::invalid_option, option + " " + path + ": " + reason};
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        fail("it is a directory; name a file whose first line is the " + content);
    }
    std::ifstream file{path};
    if (!file) {
        fail("the file cannot be read (" + std::generic_category().message(errno) +
             "); name a file that this user can read");
    }
    std::string line;
    std::getline(file, line);
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) { fail("its first line is empty; write the " + content + " there"); }
    return line;
}

void warn_if_others_read(const std::string& option, const std::string& path,
                         const std::string& reader_gets) {
    std::error_code failure;
    const auto rights = std::filesystem::status(path, failure).permissions();
    const auto others = rights & std::filesystem::perms::others_read;
    if (failure || others == std::filesystem::perms::none) { return; }
    print_message(option + " " + path + ": every user of this machine can read " + reader_gets +
                      "; run: chmod o-r " + path,
                  log_level::warning);
}

} // namespace holdfast::cli
