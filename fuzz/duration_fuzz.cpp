// Durations of the command line and of URLs.

#include "cli/duration.hpp"
#include "fuzz/check.hpp"
#include "holdfast/engine/url_values.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using holdfast::fuzz::check;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    if (const auto found = holdfast::cli::parse_duration(text)) {
        check(found->count() >= 0, "a duration is not negative");
        const auto printed = holdfast::cli::format_duration(*found);
        check(!printed.empty(), "every duration can be printed");
    }
    if (const auto found = holdfast::engine::read_duration(text)) {
        check(found->count() >= 0, "a duration of a URL is not negative");
    }
    return 0;
}
