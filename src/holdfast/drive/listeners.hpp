#pragma once
// Who is told of notices, by the number that they carry.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace holdfast::drive {

/// What a listener has in it, so that listening needs no memory.
template <typename Who>
struct listener_link {
    std::uint64_t number = 0;    ///< 0: it does not listen
    std::shared_ptr<Who> next{}; ///< in the same bucket
    std::uint64_t round = 0;     ///< see listeners::tell_all
};

/// A hash table that keeps its members alive. Every hold comes and goes through it, so it has no
/// memory of its own for each: a bucket is a list of members. If there is no memory for more
/// buckets the lists grow longer, and nothing fails.
///
/// `Who` has a member `listening`, a listener_link<Who>, that is for this class alone.
///
/// Thread safety: none.
template <typename Who>
class listeners {
public:
    using pointer = std::shared_ptr<Who>;

    listeners() : buckets_(least) {}
    listeners(const listeners&) = delete;
    listeners& operator=(const listeners&) = delete;
    ~listeners() {
        for (auto& bucket : buckets_) {
            while (bucket) { take(bucket); }
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// In place of who had this number. REQUIRES: `number` is not 0, and `who` listens to no other.
    void set(std::uint64_t number, pointer who) noexcept {
        erase(number);
        grow_if_full();
        auto& bucket = bucket_of(number);
        auto& link = who->listening;
        link.number = number;
        link.next = std::move(bucket);
        bucket = std::move(who);
        ++count_;
    }

    /// Null: nobody.
    [[nodiscard]] pointer find(std::uint64_t number) const noexcept {
        for (const auto* at = &bucket_of(number); *at; at = &(*at)->listening.next) {
            if ((*at)->listening.number == number) { return *at; }
        }
        return nullptr;
    }

    void erase(std::uint64_t number) noexcept {
        for (auto* at = &bucket_of(number); *at; at = &(*at)->listening.next) {
            if ((*at)->listening.number != number) { continue; }
            // Whoever is destroyed by this may come back here: only when all is in its place again.
            [[maybe_unused]] const auto gone = take(*at);
            return;
        }
    }

    /// `see` may add and remove as it likes; whoever is added meanwhile may or may not be told.
    template <typename See>
    void tell_all(See see) {
        ++round_;
        growing_ = false;
        for (std::size_t at = 0; at < buckets_.size(); ++at) {
            for (auto who = buckets_[at]; who;) {
                if (std::exchange(who->listening.round, round_) == round_) {
                    who = who->listening.next;
                    continue;
                }
                see(*who);
                who = buckets_[at]; // it may have changed: those that were told are passed over
            }
        }
        growing_ = true;
    }

private:
    static constexpr std::size_t least = 16;

    /// Numbers are counted up: scattered by the golden ratio, their buckets fill evenly.
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
                auto who = std::move(bucket);
                bucket = std::move(who->listening.next);
                auto& to = bucket_of(who->listening.number);
                who->listening.next = std::move(to);
                to = std::move(who);
            }
        }
    }

    std::vector<pointer> buckets_; ///< as many as a power of two
    std::size_t count_ = 0;
    std::uint64_t round_ = 0;
    bool growing_ = true;
};

} // namespace holdfast::drive
