#include "cli/web/web_token.hpp"

#include "cli/secret_file.hpp"
#include "holdfast/base/random.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace holdfast::cli {

namespace {

constexpr std::size_t shortest_token = 16;

bool is_token_letter(char letter) noexcept {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '-' || letter == '_' || letter == '.';
}

} // namespace

std::string make_web_token() {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<std::byte, 16> bytes{};
    base::fill_random(bytes);
    std::string out;
    for (const auto byte : bytes) {
        out += digits[std::to_integer<std::size_t>(byte >> 4U)];
        out += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return out;
}

std::string read_web_token(const std::string& path) {
    auto token = read_secret_file("--token-file", path, "token");
    if (token.size() < shortest_token ||
        !std::all_of(token.begin(), token.end(), is_token_letter)) {
        throw error{errc::invalid_option,
                    "--token-file " + path +
                        ": its first line must be a token of at least 16 letters, digits, '-', "
                        "'_' or '.'; make one with: openssl rand -hex 16"};
    }
    warn_if_others_read("--token-file", path, "it");
    return token;
}

bool equals_secret(std::string_view given, std::string_view secret) noexcept {
    if (given.size() != secret.size()) { return false; }
    unsigned difference = 0;
    for (std::size_t at = 0; at < secret.size(); ++at) {
        // volatile: the compiler must not stop at the first difference
        const volatile unsigned char left = static_cast<unsigned char>(given[at]);
        const volatile unsigned char right = static_cast<unsigned char>(secret[at]);
        difference |= static_cast<unsigned>(left ^ right);
    }
    return difference == 0;
}

} // namespace holdfast::cli
