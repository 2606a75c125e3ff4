#include "sim/node/sha1.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace holdfast::sim {

namespace {

using state = std::array<std::uint32_t, 5>;

void add_block(state& sum, std::string_view block) {
    std::array<std::uint32_t, 80> schedule{};
    for (std::size_t at = 0; at < 64; ++at) {
        schedule.at(at / 4) = (schedule.at(at / 4) << 8U) | static_cast<unsigned char>(block[at]);
    }
    for (std::size_t at = 16; at < schedule.size(); ++at) {
        schedule[at] = std::rotl(
            schedule[at - 3] ^ schedule[at - 8] ^ schedule[at - 14] ^ schedule[at - 16], 1);
    }
    auto [a, b, c, d, e] = sum;
    for (std::size_t at = 0; at < schedule.size(); ++at) {
        std::uint32_t mixed = 0;
        if (at < 20) {
            mixed = ((b & c) | (~b & d)) + 0x5a827999U;
        } else if (at < 40) {
            mixed = (b ^ c ^ d) + 0x6ed9eba1U;
        } else if (at < 60) {
            mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
        } else {
            mixed = (b ^ c ^ d) + 0xca62c1d6U;
        }
        mixed += std::rotl(a, 5) + e + schedule[at];
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = mixed;
    }
    sum = {sum[0] + a, sum[1] + b, sum[2] + c, sum[3] + d, sum[4] + e};
}

} // namespace

std::string sha1_of(std::string_view text) {
    constexpr std::size_t block = 64;
    std::string padded{text};
    padded += '\x80';
    while (padded.size() % block != block - 8) { padded += '\0'; }
    const std::uint64_t bits = text.size() * 8;
    for (unsigned shift = 64; shift > 0; shift -= 8) {
        padded += static_cast<char>((bits >> (shift - 8)) & 0xffU);
    }
    state sum{0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
    for (std::size_t at = 0; at < padded.size(); at += block) {
        add_block(sum, std::string_view{padded}.substr(at, block));
    }
    std::string out;
    for (const auto part : sum) {
        for (unsigned shift = 32; shift > 0; shift -= 4) {
            out += "0123456789abcdef"[(part >> (shift - 4)) & 0xfU];
        }
    }
    return out;
}

} // namespace holdfast::sim
