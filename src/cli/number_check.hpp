#pragma once
// Refuses a value that is no number of an option's range.

#include <cstdint>
#include <functional>
#include <string>

namespace holdfast::cli {

/// For CLI::Option::check(): returns what is wrong, or nothing. The parser's own checks speak of
/// conversions and types.
[[nodiscard]] std::function<std::string(const std::string&)> whole_number(std::uint64_t least,
                                                                          std::uint64_t most);

} // namespace holdfast::cli
