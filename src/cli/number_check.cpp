#include "cli/number_check.hpp"

#include "cli/messages.hpp"

#include <charconv>

namespace holdfast::cli {

std::function<std::string(const std::string&)> whole_number(std::uint64_t least,
                                                            std::uint64_t most) {
    return [least, most](const std::string& text) -> std::string {
        std::uint64_t value = 0;
        const auto* const end = text.data() + text.size();
        const auto [stop, failure] = std::from_chars(text.data(), end, value);
        const bool parsed = failure == std::errc{} && stop == end && !text.empty();
        if (parsed && value >= least && value <= most) { return {}; }
        return quote_name(text) + " is not a whole number from " + std::to_string(least) + " to " +
               std::to_string(most);
    };
}

} // namespace holdfast::cli
