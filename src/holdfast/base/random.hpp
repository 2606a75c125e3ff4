#pragma once
// All random numbers: unguessable bytes from the kernel, and cheap jitter from a small PRNG.

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast::base {

/// Fills `out` from getrandom(2). Aborts the process if the kernel fails: with a guessable owner id
/// others could release our locks.
void fill_random(std::span<std::byte> out) noexcept;

/// An id from the kernel; never 0.
[[nodiscard]] std::uint64_t random_id() noexcept;

/// SplitMix64. For jitter only: its numbers can be predicted, so ids must not use it.
class jitter {
public:
    explicit jitter(std::uint64_t seed) noexcept : state_{seed} {}
    [[nodiscard]] std::uint64_t next() noexcept;
    /// A number below `bound`, or 0 if `bound` is 0.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept;

private:
    std::uint64_t state_;
};

/// A seed for `jitter` from the kernel.
[[nodiscard]] std::uint64_t random_seed() noexcept;

} // namespace holdfast::base
