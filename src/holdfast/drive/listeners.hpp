#pragma once
// The participants that receive notices, by the number that a notice carries.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace holdfast::drive {

/// A member of every listener, so that listening needs no memory.
template <typename Listener>
struct listener_link {
    std::uint64_t number = 0;         ///< 0: it does not listen
    std::shared_ptr<Listener> next{}; ///< in the same bucket
    std::uint64_t round = 0;          ///< see listeners::visit_all
};

/// A hash table that owns its members. Every hold is added and removed, so it allocates nothing per
/// member: each bucket is an intrusive list. If there is no memory for more buckets the lists grow
/// longer, and nothing fails.
///
/// `Listener` has a member `listening`, a listener_link<Listener>, that only this class uses.
///
/// Thread safety: none.
template <typename Listener>
class listeners {
public:
    using pointer = std::shared_ptr<Listener>;

    listeners() : buckets_(least_buckets) {}
    listeners(const listeners&) = delete;
    listeners& operator=(const listeners&) = delete;
    ~listeners() {
        for (auto& bucket : buckets_) {
            while (bucket) { take(bucket); }
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// Replaces the listener of this number. REQUIRES: `number` is not 0, and `listener` listens to
    /// no other.
    void set(std::uint64_t number, pointer listener) noexcept {
        erase(number);
        grow_if_full();
        auto& bucket = bucket_of(number);
        auto& link = listener->listening;
        link.number = number;
        link.next = std::move(bucket);
        bucket = std::move(listener);
        ++count_;
    }

    /// Null if nobody listens to this number.
    [[nodiscard]] pointer find(std::uint64_t number) const noexcept {
        for (const auto* at = &bucket_of(number); *at; at = &(*at)->listening.next) {
            if ((*at)->listening.number == number) { return *at; }
        }
        return nullptr;
    }

    void erase(std::uint64_t number) noexcept {
        for (auto* at = &bucket_of(number); *at; at = &(*at)->listening.next) {
            if ((*at)->listening.number != number) { continue; }
            // Destroyed last: its destructor may call back, and needs a consistent list.
            [[maybe_unused]] const auto gone = take(*at);
            return;
        }
    }

    /// `visit` may add and remove listeners; one that is added meanwhile may or may not be visited.
    template <typename Visit>
    void visit_all(Visit visit) {
        ++round_;
        growing_ = false;
        for (std::size_t at = 0; at < buckets_.size(); ++at) {
            for (auto listener = buckets_[at]; listener;) {
                if (std::exchange(listener->listening.round, round_) == round_) {
                    listener = listener->listening.next;
                    continue;
                }
                visit(*listener);
                listener = buckets_[at]; // the list may have changed; those visited are skipped
            }
        }
        growing_ = true;
    }

private:
    static constexpr std::size_t least_buckets = 16;

    /// Numbers are consecutive: multiplying by the golden ratio spreads them over the buckets.
    [[nodiscard]] std::size_t index_of(std::uint64_t number) const noexcept {
        return static_cast<std::size_t>((number * 0x9e37'79b9'7f4a'7c15U) >> 32U) &
               (buckets_.size() - 1);
    }
    [[nodiscard]] pointer& bucket_of(std::uint64_t number) noexcept {
        return buckets_[index_of(number)];
    }
    [[nodiscard]] const pointer& bucket_of(std::uint64_t number) const noexcept {
        return buckets_[index_of(number)];
    }

    pointer take(pointer& from) noexcept {
        auto out = std::move(from);
        from = std::move(out->listening.next);
        out->listening.number = 0;
        --count_;
        return out;
    }

    void grow_if_full() noexcept {
        if (count_ < buckets_.size() || !growing_) { return; }
        std::vector<pointer> before;
        try {
            before.resize(buckets_.size() * 2);
        } catch (const std::bad_alloc&) { return; }
        before.swap(buckets_);
        for (auto& bucket : before) {
            while (bucket) {
                auto listener = std::move(bucket);
                bucket = std::move(listener->listening.next);
                auto& to = bucket_of(listener->listening.number);
                listener->listening.next = std::move(to);
                to = std::move(listener);
            }
        }
    }

    std::vector<pointer> buckets_; ///< a power of two of them
    std::size_t count_ = 0;
    std::uint64_t round_ = 0; ///< of visit_all
    bool growing_ = true;
};

} // namespace holdfast::drive
