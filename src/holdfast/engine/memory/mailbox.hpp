#pragma once
// A client's inbox: notices from other clients' threads, and a descriptor to wait for them.

#include "holdfast/base/fd.hpp"
#include "holdfast/engine/answers.hpp"

#include <cstddef>
#include <mutex>
#include <vector>

namespace holdfast::engine::memory {

/// Thread safety: full.
class mailbox {
public:
    /// Throws error(limit_reached) if there is no descriptor left.
    mailbox();

    void put(const notice& notice) noexcept;
    /// Replaces `out` with all notices so far. False: some were lost, because the mailbox was full
    /// or memory ran out.
    [[nodiscard]] bool drain_into(std::vector<notice>& out) noexcept;
    /// Readable while there are notices.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }

    /// A client that does not read loses further notices; `drain_into` reports it, and it beats.
    static constexpr std::size_t max_notices = 16'384;

private:
    const base::fd descriptor_;
    std::mutex guard_;
    std::vector<notice> notices_;
    bool missed_ = false;
};

} // namespace holdfast::engine::memory
