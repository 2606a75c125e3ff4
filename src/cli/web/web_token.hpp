#pragma once
// The secret that opens the page of `holdfast web`.

#include <string>
#include <string_view>

namespace holdfast::cli {

/// 128 random bits.
[[nodiscard]] std::string make_web_token();

/// The first line of --token-file. Throws error(invalid_option) if it cannot be read, is short or
/// has letters that a URL cannot have; warns if every user can read it.
[[nodiscard]] std::string read_web_token(const std::string& path);

/// Compares in a time that depends on the lengths only.
[[nodiscard]] bool equals_secret(std::string_view given, std::string_view secret) noexcept;

} // namespace holdfast::cli
