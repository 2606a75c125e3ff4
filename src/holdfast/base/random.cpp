#include "holdfast/base/random.hpp"

#include <cerrno>
#include <cstdlib>
#include <sys/random.h>

namespace holdfast::base {

void fill_random(std::span<std::byte> out) noexcept {
    while (!out.empty()) {
        const auto count = ::getrandom(out.data(), out.size(), 0);
        if (count < 0) {
            if (errno == EINTR) { continue; }
            std::abort();
        }
        out = out.subspan(static_cast<std::size_t>(count));
    }
}

std::uint64_t jitter::next() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
}

std::uint64_t jitter::below(std::uint64_t bound) noexcept {
    return bound == 0 ? 0 : next() % bound;
}

std::uint64_t random_id() noexcept {
    std::uint64_t id = 0;
    while (id == 0) { fill_random(std::as_writable_bytes(std::span{&id, 1})); }
    return id;
}

std::uint64_t random_seed() noexcept {
    std::uint64_t seed = 0;
    fill_random(std::as_writable_bytes(std::span{&seed, 1}));
    return seed;
}

} // namespace holdfast::base
