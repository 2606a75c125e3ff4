#pragma once
// Who is told of notices, by the number that they carry.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace holdfast::drive {

/// A hash table without memory of its own for each entry, since every hold comes and goes through
/// it: open addressing, linear probing, at most three quarters full.
///
/// Thread safety: none.
template <typename Who>
class listeners {
public:
    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// In place of who had this number. REQUIRES: `number` is not 0.
    void set(std::uint64_t number, Who who) {
        if ((count_ + 1) * 4 > slots_.size() * 3) { grow(); }
        auto& place = slots_[find_slot(number)];
        if (place.number == 0) { ++count_; }
        place = {number, std::move(who)};
    }

    /// Null: nobody.
    [[nodiscard]] const Who* find(std::uint64_t number) const noexcept {
        if (count_ == 0) { return nullptr; }
        const auto& place = slots_[find_slot(number)];
        return place.number == number ? &place.who : nullptr;
    }

    /// What comes behind it and belongs further to the front moves up: no marks are left behind.
    void erase(std::uint64_t number) {
        if (count_ == 0) { return; }
        auto hole = find_slot(number);
        if (slots_[hole].number != number) { return; }
        // Whoever is destroyed by this may come back here: only when all is in its place again.
        [[maybe_unused]] const Who gone = std::exchange(slots_[hole], {}).who;
        --count_;
        for (auto at = next(hole); slots_[at].number != 0; at = next(at)) {
            const auto wanted = home_of(slots_[at].number);
            if (((at - wanted) & mask()) >= ((at - hole) & mask())) {
                slots_[hole] = std::exchange(slots_[at], {});
                hole = at;
            }
        }
    }

    template <typename See>
    void each(See see) const {
        for (const auto& place : slots_) {
            if (place.number != 0) { see(place.who); }
        }
    }

private:
    struct slot {
        std::uint64_t number = 0; ///< 0: empty
        Who who{};
    };

    [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
    [[nodiscard]] std::size_t next(std::size_t at) const noexcept { return (at + 1) & mask(); }

    /// Numbers are counted up. As they are, those of many who stay would make one long block, which
    /// all others would run into when they come round; so they are scattered (golden ratio).
    [[nodiscard]] std::size_t home_of(std::uint64_t number) const noexcept {
        return static_cast<std::size_t>((number * 0x9e37'79b9'7f4a'7c15U) >> 32U) & mask();
    }

    /// Where this number is, or would be.
    [[nodiscard]] std::size_t find_slot(std::uint64_t number) const noexcept {
        auto at = home_of(number);
        while (slots_[at].number != 0 && slots_[at].number != number) { at = next(at); }
        return at;
    }

    void grow() {
        constexpr std::size_t least = 16;
        auto before =
            std::exchange(slots_, std::vector<slot>(slots_.empty() ? least : slots_.size() * 2));
        for (auto& one : before) {
            if (one.number != 0) { slots_[find_slot(one.number)] = std::move(one); }
        }
    }

    std::vector<slot> slots_; ///< as many as a power of two
    std::size_t count_ = 0;
};

} // namespace holdfast::drive
