#pragma once
// All chance comes through here: unguessable ids from the kernel, cheap jitter from a small PRNG.

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast::base {

/// Fills with bytes from getrandom(2); ends the process if the kernel has none to give, because
/// a guessable owner would let others release our locks.
void unguessable(std::span<std::byte> out) noexcept;

/// For jitter only: SplitMix64. Not for ids.
class jitter {
public:
    explicit jitter(std::uint64_t seed) noexcept : state_{seed} {}
    [[nodiscard]] std::uint64_t next() noexcept;
    /// A number below `bound`; 0 for 0.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept;

private:
    std::uint64_t state_;
};

/// A seed for `jitter` from the kernel.
[[nodiscard]] std::uint64_t random_seed() noexcept;

} // namespace holdfast::base
