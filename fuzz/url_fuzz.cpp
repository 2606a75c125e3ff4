// URLs: whatever the text is, an engine is made or holdfast::error says why not. No I/O happens.

#include "fuzz/check.hpp"
#include "holdfast/engine/factory.hpp"

#include <holdfast/error.hpp>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

/// Replaces each % and two hexadecimal digits, as the parser does part by part.
std::string decode(const std::string& text) {
    const auto is_digit = [&text](std::size_t at) {
        return at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '%' && is_digit(at + 1) && is_digit(at + 2)) {
            out += static_cast<char>(std::stoi(text.substr(at + 1, 2), nullptr, 16));
            at += 2;
        } else {
            out += text[at];
        }
    }
    return out;
}

/// Also percent-encoded, as often as it takes: a node of a quorum is encoded twice.
bool has_the_word(std::string text) {
    while (text.find(password) == std::string::npos) {
        auto decoded = decode(text);
        if (decoded == text) { return false; }
        text = std::move(decoded);
    }
    return true;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text{reinterpret_cast<const char*>(data), size};
    parse(text, false);
    if (has_the_word(text)) { return 0; } // elsewhere it is no secret
    // The same with a password, where a user and password go.
    if (const auto at = text.find("//"); at != std::string::npos) {
        auto with_password = text;
        with_password.insert(at + 2, "user:" + std::string{password} + "@");
        parse(with_password, true);
    }
    return 0;
}
