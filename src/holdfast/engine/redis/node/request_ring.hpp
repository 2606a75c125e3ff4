#pragma once
// A queue of requests that reuses its memory.

#include "holdfast/engine/redis/node/request.hpp"

#include <cassert>
#include <memory>
#include <utility>
#include <vector>

namespace holdfast::engine::redis {

/// First in, first out; a reference to a request stays valid while others are added.
///
/// Thread safety: none.
class request_ring {
public:
    request_ring() = default;
    request_ring(const request_ring&) = delete;
    request_ring& operator=(const request_ring&) = delete;
    ~request_ring() = default;

    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] request& operator[](std::size_t at) const noexcept {
        assert(at < count_);
        return *slots_[(first_ + at) & (slots_.size() - 1)];
    }
    [[nodiscard]] request& front() const noexcept { return (*this)[0]; }
    [[nodiscard]] request& back() const noexcept { return (*this)[count_ - 1]; }

    request& add() {
        if (count_ == slots_.size()) { grow(); }
        auto& slot = slots_[(first_ + count_) & (slots_.size() - 1)];
        if (!slot) { slot = std::make_unique<request>(); }
        ++count_;
        return *slot;
    }
    void drop_front() noexcept {
        front().clear();
        first_ = (first_ + 1) & (slots_.size() - 1);
        --count_;
    }
    void swap(request_ring& other) noexcept {
        slots_.swap(other.slots_);
        std::swap(first_, other.first_);
        std::swap(count_, other.count_);
    }

private:
    void grow() {
        constexpr std::size_t least = 8;
        std::vector<std::unique_ptr<request>> more(slots_.empty() ? least : slots_.size() * 2);
        for (std::size_t at = 0; at < count_; ++at) {
            more[at] = std::move(slots_[(first_ + at) & (slots_.size() - 1)]);
        }
        slots_ = std::move(more);
        first_ = 0;
    }

    std::vector<std::unique_ptr<request>> slots_; ///< a ring; its size is a power of two
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

} // namespace holdfast::engine::redis
