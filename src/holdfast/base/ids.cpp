#include "holdfast/base/ids.hpp"

#include "holdfast/base/random.hpp"

#include <charconv>
#include <cstddef>
#include <span>

namespace holdfast::base {

namespace {

constexpr std::size_t uuid_chars = 36;
constexpr std::string_view hex_digits = "0123456789abcdef";

constexpr bool dash_before(std::size_t byte) noexcept {
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

std::optional<unsigned> hex_value(char digit) noexcept {
    if (digit >= '0' && digit <= '9') { return static_cast<unsigned>(digit - '0'); }
    if (digit >= 'a' && digit <= 'f') { return static_cast<unsigned>(digit - 'a') + 10U; }
    return std::nullopt;
}

} // namespace

client_id client_id::make() noexcept {
    client_id id;
    fill_random(std::as_writable_bytes(std::span{id.bytes}));
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0fU) | 0x40U);
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3fU) | 0x80U);
    return id;
}

std::optional<client_id> client_id::parse(std::string_view text) noexcept {
    if (text.size() != uuid_chars) { return std::nullopt; }
    client_id id;
    std::size_t at = 0;
    for (std::size_t byte = 0; byte < id.bytes.size(); ++byte) {
        if (dash_before(byte) && text[at++] != '-') { return std::nullopt; }
        const auto high = hex_value(text[at]);
        const auto low = hex_value(text[at + 1]);
        if (!high || !low) { return std::nullopt; }
        id.bytes.at(byte) = static_cast<std::uint8_t>((*high << 4U) | *low);
        at += 2;
    }
    return id;
}

std::string client_id::text() const {
    std::string out;
    out.reserve(uuid_chars);
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
        if (dash_before(byte)) { out += '-'; }
        out += hex_digits[bytes.at(byte) >> 4U];
        out += hex_digits[bytes.at(byte) & 0x0fU];
    }
    return out;
}

std::optional<owner_id> owner_id::parse(std::string_view text) noexcept {
    if (text.size() < uuid_chars + 2 || text[uuid_chars] != ':') { return std::nullopt; }
    const auto client = client_id::parse(text.substr(0, uuid_chars));
    const auto digits = text.substr(uuid_chars + 1);
    std::uint64_t number = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [stop, failure] = std::from_chars(digits.data(), end, number);
    if (!client || failure != std::errc{} || stop != end) { return std::nullopt; }
    return owner_id{*client, number};
}

std::string owner_id::text() const { return client.text() + ':' + std::to_string(number); }

} // namespace holdfast::base
