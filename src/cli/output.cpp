#include "cli/output.hpp"

#include "cli/exit_codes.hpp"
#include "cli/messages.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <system_error>
#include <unistd.h>

namespace holdfast::cli {

bool fill_closed_streams() noexcept {
    for (;;) {
        // Reads and writes fail on O_PATH, as on a closed descriptor; /dev/null would succeed.
        const int file = ::open("/", O_PATH | O_CLOEXEC);
        if (file < 0) { return false; }
        if (file > STDERR_FILENO) {
            ::close(file);
            return true;
        }
    }
}

bool stdout_is_open() noexcept { return ::write(STDOUT_FILENO, "", 0) == 0; }

bool print(std::string_view text) noexcept {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
           std::fflush(stdout) == 0;
}

int flush_output(int code) {
    std::cout.flush(); // the help of CLI11
    const bool flushed = std::fflush(stdout) == 0;
    const auto reason =
        flushed ? std::string{} : " (" + std::generic_category().message(errno) + ")";
    if ((flushed && std::ferror(stdout) == 0) || code != exit_code::ok) { return code; }
    print_message("the output could not be written" + reason + "; check where stdout goes");
    return exit_code::internal;
}

} // namespace holdfast::cli
