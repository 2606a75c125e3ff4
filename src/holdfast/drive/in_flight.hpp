#pragma once
// The operations in flight: submitted, and not answered yet.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace holdfast::drive {

/// A map from operation numbers. Numbers ascend and are mostly answered in order, so a ring buffer
/// suffices, which allocates nothing per operation.
///
/// Thread safety: none.
template <typename Entry>
class in_flight {
public:
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// REQUIRES: `number` is above all that were added before.
    void add(std::uint64_t number, Entry entry) {
        if (count_ == 0) { first_ = next_ = number; }
        // Numbers of heartbeats are not added here and leave gaps.
        while (number - first_ >= slots_.size()) { grow(); }
        next_ = number + 1;
        slots_[number & (slots_.size() - 1)] = std::move(entry);
        ++count_;
    }

    /// Removes and returns the entry; empty if there is none.
    [[nodiscard]] std::optional<Entry> take(std::uint64_t number) {
        if (count_ == 0 || number < first_ || number >= next_) { return std::nullopt; }
        auto out = std::exchange(slots_[number & (slots_.size() - 1)], std::nullopt);
        if (!out) { return out; }
        --count_;
        while (first_ < next_ && !slots_[first_ & (slots_.size() - 1)]) { ++first_; }
        return out;
    }

    /// The newest number whose entry fits; empty if none does.
    template <typename Fits>
    [[nodiscard]] std::optional<std::uint64_t> find_last(Fits fits) const {
        for (auto number = next_; count_ > 0 && number > first_; --number) {
            const auto& slot = slots_[(number - 1) & (slots_.size() - 1)];
            if (slot && fits(*slot)) { return number - 1; }
        }
        return std::nullopt;
    }

    /// Removes and returns the entry with the lowest number; empty if that is above `last`.
    [[nodiscard]] std::optional<Entry> take_first(std::uint64_t last) {
        if (count_ == 0 || first_ > last) { return std::nullopt; }
        return take(first_);
    }

private:
    void grow() {
        constexpr std::size_t least = 16;
        std::vector<std::optional<Entry>> more(slots_.empty() ? least : slots_.size() * 2);
        for (auto number = first_; number < next_; ++number) {
            more[number & (more.size() - 1)] = std::move(slots_[number & (slots_.size() - 1)]);
        }
        slots_ = std::move(more);
    }

    std::vector<std::optional<Entry>> slots_; ///< a power of two of them
    std::uint64_t first_ = 0;                 ///< the lowest number
    std::uint64_t next_ = 0;
    std::size_t count_ = 0;
};

} // namespace holdfast::drive
