#pragma once
// The id of an operation that a task has sent to a node: which task, and which of its requests.

#include "holdfast/engine/answers.hpp"

#include <cstddef>
#include <cstdint>

namespace holdfast::engine::quorum {

constexpr unsigned tag_bits = 16;
constexpr unsigned slot_bits = 24;
/// A slot is reused; its generation tells its tasks apart.
constexpr std::uint32_t last_generation = (1U << (64 - tag_bits - slot_bits)) - 1;

[[nodiscard]] constexpr op_id make_id(std::uint32_t generation, std::size_t slot,
                                      unsigned tag) noexcept {
    return (op_id{generation} << (tag_bits + slot_bits)) | (op_id{slot} << tag_bits) | tag;
}
[[nodiscard]] constexpr unsigned tag_of(op_id id) noexcept {
    return static_cast<unsigned>(id & ((1U << tag_bits) - 1));
}
[[nodiscard]] constexpr std::size_t slot_of(op_id id) noexcept {
    return (id >> tag_bits) & ((1U << slot_bits) - 1);
}
[[nodiscard]] constexpr std::uint32_t generation_of(op_id id) noexcept {
    return static_cast<std::uint32_t>(id >> (tag_bits + slot_bits));
}

} // namespace holdfast::engine::quorum
