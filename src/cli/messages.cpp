#include "cli/messages.hpp"

#include "holdfast/base/quote.hpp"

#include <algorithm>
#include <cstddef>
#include <unistd.h>

namespace holdfast::cli {

void tell(std::string_view text) noexcept {
    std::string line = "holdfast: ";
    line += text;
    line += '\n';
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

void tell(const run_settings& settings, std::string_view text) noexcept {
    if (settings.loud != loudness::quiet) { tell(text); }
}

std::string show_name(std::string_view name) { return base::quote(name); }

std::string show_text(std::string_view text) {
    constexpr std::size_t uncut = 80; // bytes that quote() shows
    std::string out;
    for (; !text.empty(); text.remove_prefix(std::min(uncut, text.size()))) {
        const auto quoted = base::quote(text.substr(0, uncut));
        out += quoted.substr(1, quoted.size() - 2);
    }
    return out;
}

std::string not_released(std::string_view name, const std::exception& why) {
    return show_name(name) + " could not be released: " + why.what();
}

} // namespace holdfast::cli
