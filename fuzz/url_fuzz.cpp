// URLs: whatever the text is, an engine is made or holdfast::error says why not. No I/O happens.

#include "fuzz/check.hpp"
#include "holdfast/engine/factory.hpp"

#include <holdfast/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace {

/// A password that the target puts into each URL: no message may quote it.
constexpr std::string_view password = "hidden-word";

void parse(const std::string& text, bool has_password) {
    static const auto identity = holdfast::engine::this_process();
    try {
        (void)holdfast::engine::make_engine(holdfast::engine::url::parse(text), identity);
    } catch (const holdfast::error& refused) {
        using holdfast::errc;
        holdfast::fuzz::check(
            refused.code() == errc::invalid_url || refused.code() == errc::unsupported ||
                refused.code() == errc::invalid_option || refused.code() == errc::invalid_name,
            "a URL is refused with the code of a user's mistake");
        holdfast::fuzz::check(!has_password || std::string_view{refused.what()}.find(password) ==
                                                   std::string_view::npos,
                              "a message never quotes the password");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text{reinterpret_cast<const char*>(data), size};
    parse(text, false);
    if (text.find(password) != std::string::npos) { return 0; } // elsewhere it is no secret
    // The same with a password, where a user and password go.
    if (const auto at = text.find("//"); at != std::string::npos) {
        auto with_password = text;
        with_password.insert(at + 2, "user:" + std::string{password} + "@");
        parse(with_password, true);
    }
    return 0;
}
