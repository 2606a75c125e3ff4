#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

namespace holdfast::engine::redis {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

/// Eight digits at once, each in a byte of its own.
std::uint64_t hex_of_half(std::uint32_t value) {
    std::uint64_t x = value;
    x = (x | x << 16U) & 0x0000'ffff'0000'ffffU;
    x = (x | x << 8U) & 0x00ff'00ff'00ff'00ffU;
    x = (x | x << 4U) & 0x0f0f'0f0f'0f0f'0f0fU;
    const auto letters = ((x + 0x0606'0606'0606'0606U) >> 4U) & 0x0101'0101'0101'0101U;
    x += 0x3030'3030'3030'3030U + letters * ('a' - '0' - 10);
    return __builtin_bswap64(x); // the first digit is the highest, and comes first in memory
}

/// Eight decimal digits, likewise. First two numbers of four digits, then four of two.
std::uint64_t digits_of_half(std::uint64_t value) {
    std::uint64_t x = value / 10'000 | (value % 10'000) << 32U;
    const auto hundreds = (x * 5'243 >> 19U) & 0x0000'007f'0000'007fU; // of each
    x = hundreds | (x - hundreds * 100) << 16U;
    const auto tens = (x * 103 >> 10U) & 0x000f'000f'000f'000fU; // of each
    x = tens | (x - tens * 10) << 8U;
    return x + 0x3030'3030'3030'3030U; // the first digit is the lowest byte
}

} // namespace

void write_padded(char* to, std::uint64_t value) noexcept {
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t half = 100'000'000;
    const std::array halves{digits_of_half(value / half), digits_of_half(value % half)};
    std::memcpy(to, halves.data(), sizeof halves);
}

void append_padded(std::string& out, std::uint64_t value, std::size_t width) {
    std::array<char, 20> text; // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    const auto* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    const auto length = static_cast<std::size_t>(end - text.data());
    if (length < width) { out.append(width - length, '0'); }
    const auto shown = std::min(length, width);
    out.append(end - shown, shown);
}

void write_hex(char* to, std::uint64_t value) noexcept {
    static_assert(std::endian::native == std::endian::little);
    const auto high = static_cast<std::uint32_t>(value >> 32U); // of most numbers 0
    const std::array halves{high == 0 ? 0x3030'3030'3030'3030U : hex_of_half(high),
                            hex_of_half(static_cast<std::uint32_t>(value))};
    std::memcpy(to, halves.data(), sizeof halves);
}

void append_hex(std::string& out, std::uint64_t value) {
    std::array<char, 16> text; // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    write_hex(text.data(), value);
    out.append(text.data(), text.size());
}

std::string hex_of(const base::client_id& client) {
    std::string out;
    for (const auto byte : client.bytes) {
        out += hex_digits[byte >> 4U];
        out += hex_digits[byte & 0xfU];
    }
    return out;
}

void write_client(char* to, const base::client_id& client) {
    const auto text = hex_of(client);
    std::memcpy(to, text.data(), text.size());
}

bool is_encoded(char c) noexcept { return c == '{' || c == '}' || c == '%'; }

std::array<char, 3> encoded(char c) noexcept {
    return {'%', hex_digits[static_cast<unsigned char>(c) >> 4U],
            hex_digits[static_cast<unsigned char>(c) & 0xfU]};
}

void append_encoded(std::string& out, std::string_view name) {
    for (const char c : name) {
        if (is_encoded(c)) {
            const auto text = encoded(c);
            out.append(text.data(), text.size());
        } else {
            out += c;
        }
    }
}

std::string literally(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '*' || c == '?' || c == '[' || c == ']' || c == '\\' || c == '^') { out += '\\'; }
        out += c;
    }
    return out;
}

std::string wire_owner(const base::owner_id& owner) {
    std::string out = hex_of(owner.client);
    append_hex(out, owner.number);
    return out;
}

std::optional<base::owner_id> read_owner(std::string_view text) {
    if (text.size() != client_digits + 16) { return std::nullopt; }
    base::owner_id out;
    const auto read = [&text](std::size_t at, std::size_t digits, auto& value) {
        const auto* const from = text.data() + at;
        const auto [stop, failure] = std::from_chars(from, from + digits, value, 16);
        return failure == std::errc{} && stop == from + digits;
    };
    for (std::size_t byte = 0; byte < out.client.bytes.size(); ++byte) {
        if (!read(2 * byte, 2, out.client.bytes.at(byte))) { return std::nullopt; }
    }
    if (!read(client_digits, 16, out.number)) { return std::nullopt; }
    return out;
}

} // namespace holdfast::engine::redis
