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
    /// Everything that has come, into `out`, which is emptied first. False: some were lost, for
    /// want of room or of memory.
    [[nodiscard]] bool empty_into(std::vector<notice>& out) noexcept;
    /// Readable while there is something.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }

    /// A client that does not look loses its notices, and is told so: it then beats.
    static constexpr std::size_t most_notices = 16'384;

private:
    const base::fd descriptor_;
    std::mutex guard_;
    std::vector<notice> notices_;
    bool missed_ = false;
};

} // namespace holdfast::engine::memory
