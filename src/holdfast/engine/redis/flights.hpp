#pragma once
// What was asked of the server and is not answered yet, in the order in which it was asked.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"

#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::engine::redis {

class foreign_layout;

/// Whose answer a reply is.
enum class request_kind : std::uint8_t {
    acquire,
    take, ///< an acquire without a script
    release,
    withdraw, ///< or a break: they answer alike
    beat,
    inspect,
    scan,
    listed, ///< an inspect for a list
    diagnose,
    time,      ///< ours: to know the server's clock
    load,      ///< ours: scripts
    undo,      ///< ours: a withdraw for a cancelled acquire, or the like: its answer is of no use
    subscribe, ///< ours: to a channel, or no longer; the answer comes as a push
};

/// A list that is being put together.
struct list_job {
    report page{};
    std::size_t missing = 0;
    bool failed = false; ///< and answered
};

/// Of an acquire or a release in a layout that others made.
struct foreign_terms {
    base::milliseconds lease{0};
    bool fenced = false;
    bool waits = false;      ///< for as long as it is held
    bool listening = false;  ///< to its channel since before it was sent
    bool resent = false;     ///< a release that was sent before, without an answer
    bool remembered = false; ///< a release that leaves a memory on the server
};

struct flight {
    static constexpr std::uint64_t unknown_end = ~std::uint64_t{0}; ///< it is not written yet

    request_kind kind{};
    bool answered = false;  ///< given up; the reply is still to come
    bool cancelled = false; ///< nobody wants it
    bool quiet = false;     ///< a short answer may lie unread until more comes
    bool renews = false;    ///< beat: a lease, which ends if the answer does not come soon
    bool exchanged = false; ///< a release that is answered together with the acquire behind it
    op_id id = 0;           ///< 0: nobody waits for the answer
    base::instant sent{};
    base::instant give_up = base::never;
    base::instant not_after = base::never; ///< acquire
    std::int64_t not_after_us = 0;         ///< acquire: as it was sent, in the server's time
    std::uint64_t begin = 0;         ///< release: in bytes of the session, where its command begins
    std::uint64_t end = unknown_end; ///< where it ends
    holdfast::engine::ticket ticket{}; ///< acquire, release; inspect: the name; scan: the cursor
    unsigned count = 0;                ///< scan: the longest page
    std::vector<holdfast::engine::ticket> items{}; ///< beat
    std::shared_ptr<list_job> list{};
    foreign_layout* in = nullptr; ///< null: the native layout
    foreign_terms terms{};

    /// As new, but what was allocated is kept for the next.
    void clear() {
        kind = {};
        answered = cancelled = quiet = renews = exchanged = false;
        id = 0;
        give_up = not_after = base::never;
        end = unknown_end;
        items.clear();
        list.reset();
        in = nullptr;
        terms = {};
    }
};

/// First in, first out; a reference to the first stays good while others are added.
class flights {
public:
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] flight& operator[](std::size_t at) noexcept { return *slot(at); }
    [[nodiscard]] const flight& operator[](std::size_t at) const noexcept { return *slot(at); }
    [[nodiscard]] flight& front() noexcept { return *slot(0); }
    [[nodiscard]] const flight& front() const noexcept { return *slot(0); }

    flight& add() {
        if (count_ == slots_.size()) { grow(); }
        auto& made = slots_[(first_ + count_) & (slots_.size() - 1)];
        if (!made) { made = std::make_unique<flight>(); }
        made->clear();
        ++count_;
        return *made;
    }
    void drop_first() noexcept {
        assert(count_ > 0);
        first_ = (first_ + 1) & (slots_.size() - 1);
        --count_;
    }

private:
    [[nodiscard]] const std::unique_ptr<flight>& slot(std::size_t at) const noexcept {
        assert(at < count_);
        return slots_[(first_ + at) & (slots_.size() - 1)];
    }
    void grow() {
        constexpr std::size_t least = 8;
        std::vector<std::unique_ptr<flight>> more(slots_.empty() ? least : slots_.size() * 2);
        for (std::size_t at = 0; at < count_; ++at) {
            more[at] = std::move(slots_[(first_ + at) & (slots_.size() - 1)]);
        }
        slots_ = std::move(more);
        first_ = 0;
    }

    std::vector<std::unique_ptr<flight>> slots_; ///< a ring; as many as a power of two
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

} // namespace holdfast::engine::redis
