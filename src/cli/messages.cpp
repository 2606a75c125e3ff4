#include "cli/messages.hpp"

#include "holdfast/base/quote.hpp"

#include <unistd.h>

namespace holdfast::cli {

void tell(std::string_view text) noexcept {
    std::string line = "holdfast: ";
    line += text;
    line += '\n';
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

void tell(const run_settings& what, std::string_view text) noexcept {
    if (what.loud != loudness::quiet) { tell(text); }
}

std::string show_name(std::string_view name) { return base::quote(name); }

} // namespace holdfast::cli
