#include "holdfast/engine/redis/protocol/hash_slot.hpp"

#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <array>
#include <memory>

namespace holdfast::engine::redis {

namespace {

constexpr auto make_crc_table() {
    constexpr unsigned polynomial = 0x1021;
    constexpr unsigned top_bit = 0x8000;
    std::array<std::uint16_t, 256> out{};
    for (unsigned byte = 0; byte < out.size(); ++byte) {
        unsigned crc = byte << 8U;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & top_bit) != 0 ? (crc << 1U) ^ polynomial : crc << 1U;
        }
        out.at(byte) = static_cast<std::uint16_t>(crc);
    }
    return out;
}

constexpr auto crc_table = make_crc_table();

unsigned add_to_crc(unsigned crc, char next) noexcept {
    const auto index = ((crc >> 8U) ^ static_cast<unsigned char>(next)) & 0xffU;
    return ((crc << 8U) ^ crc_table[index]) & 0xffffU;
}

using tag_table = std::array<std::uint32_t, slot_count>;

std::unique_ptr<const tag_table> make_tags() {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    auto out = std::make_unique<tag_table>();
    out->fill(none);
    unsigned missing = slot_count;
    for (std::uint32_t number = 0; missing > 0; ++number) {
        auto& tag = (*out)[crc16(std::to_string(number)) % slot_count];
        if (tag != none) { continue; }
        tag = number;
        --missing;
    }
    return out;
}

} // namespace

std::uint16_t crc16(std::string_view text, std::uint16_t before) noexcept {
    unsigned crc = before;
    for (const char each : text) { crc = add_to_crc(crc, each); }
    return static_cast<std::uint16_t>(crc);
}

unsigned hash_slot(std::string_view key) noexcept {
    if (const auto open = key.find('{'); open != std::string_view::npos) {
        const auto close = key.find('}', open + 1);
        if (close != std::string_view::npos && close > open + 1) {
            key = key.substr(open + 1, close - open - 1);
        }
    }
    return crc16(key) % slot_count;
}

unsigned hash_slot(std::string_view prefix, std::string_view name) noexcept {
    if (prefix.empty()) { return hash_slot(name); }
    const auto open = prefix.find('{');
    if (open == std::string_view::npos) {
        const auto own = name.find('{');
        const auto close = own == std::string_view::npos ? own : name.find('}', own + 1);
        if (close != std::string_view::npos && close > own + 1) { return hash_slot(name); }
        return crc16(name, crc16(prefix)) % slot_count;
    }
    const auto close = prefix.find('}', open + 1);
    if (close != std::string_view::npos) {
        return close > open + 1 ? hash_slot(prefix) : crc16(name, crc16(prefix)) % slot_count;
    }
    const auto end = name.find('}'); // the tag begins in the prefix
    const bool empty = end == 0 && open + 1 == prefix.size();
    if (end == std::string_view::npos || empty) { return crc16(name, crc16(prefix)) % slot_count; }
    return crc16(name.substr(0, end), crc16(prefix.substr(open + 1))) % slot_count;
}

unsigned native_slot(std::string_view name) noexcept {
    unsigned crc = 0;
    for (const char each : name) {
        if (is_encoded(each)) {
            for (const char digit : encoded(each)) { crc = add_to_crc(crc, digit); }
        } else {
            crc = add_to_crc(crc, each);
        }
    }
    return crc % slot_count;
}

std::string slot_tag(unsigned slot) {
    static const auto tags = make_tags();
    return std::to_string((*tags)[slot]);
}

} // namespace holdfast::engine::redis
