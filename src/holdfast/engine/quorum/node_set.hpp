#pragma once
// A set of a quorum's nodes, by their numbers.

#include <bit>
#include <cstdint>

namespace holdfast::engine::quorum {

/// The most nodes that a quorum can have.
inline constexpr unsigned max_nodes = 15;

class node_set {
public:
    [[nodiscard]] static node_set all(unsigned count) noexcept {
        node_set out;
        out.bits_ = (std::uint32_t{1} << count) - 1;
        return out;
    }

    void add(unsigned node) noexcept { bits_ |= bit(node); }
    void remove(unsigned node) noexcept { bits_ &= ~bit(node); }
    void add(node_set other) noexcept { bits_ |= other.bits_; }
    void remove(node_set other) noexcept { bits_ &= ~other.bits_; }
    void clear() noexcept { bits_ = 0; }
    [[nodiscard]] bool has(unsigned node) const noexcept { return (bits_ & bit(node)) != 0; }
    [[nodiscard]] bool empty() const noexcept { return bits_ == 0; }
    [[nodiscard]] unsigned count() const noexcept {
        return static_cast<unsigned>(std::popcount(bits_));
    }
    bool operator==(const node_set&) const = default;

private:
    static std::uint32_t bit(unsigned node) noexcept { return std::uint32_t{1} << node; }

    std::uint32_t bits_ = 0;
};

/// How many of `count` nodes are more than half of them.
[[nodiscard]] constexpr unsigned majority_of(unsigned count) noexcept { return count / 2 + 1; }

} // namespace holdfast::engine::quorum
