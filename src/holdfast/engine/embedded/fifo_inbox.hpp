#pragma once
// How a waiter of another process is woken: each client listens on a FIFO of its own, and whoever
// grants it a lock writes 24 bytes there after the commit.

#include "holdfast/base/fd.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/engine/answers.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace holdfast::engine::embedded {

/// Shorter than PIPE_BUF, so it is written and read whole or not at all.
using message = std::array<std::byte, 24>;
[[nodiscard]] message encode(const notice& notice) noexcept;
[[nodiscard]] std::optional<notice> decode_notice(std::span<const std::byte> from) noexcept;

class inbox {
public:
    /// Makes the folder and this client's FIFO. Throws failure.
    void open(const std::string& folder, const base::client_id& self, const struct stat& like);
    /// Removes the FIFO.
    void close() noexcept;
    /// In a child of fork(): it is the parent's FIFO.
    void drop() noexcept { fifo_.reset(); }
    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(fifo_); }
    [[nodiscard]] int descriptor() const noexcept { return fifo_.get(); }

    /// What has arrived, bounded. Whatever cannot be read as a message becomes one `inbox_reset`.
    [[nodiscard]] std::vector<notice> read();

    /// To another client. Whether it arrives is not known and need not be: waiters also beat.
    void send(const base::client_id& to, const notice& notice) const noexcept;

    /// Removes the FIFO of a client that is dead. Its id is never used again, so nobody who is
    /// alive can be meant.
    void remove(const base::client_id& dead) const noexcept;
    /// Ids of clients, other than oneself, that have a FIFO; some `most` of them.
    [[nodiscard]] std::vector<base::client_id> others(std::size_t most) const;
    /// Somebody removed the FIFO, e.g. a cleaner of old files.
    [[nodiscard]] bool is_missing() const noexcept;

private:
    [[nodiscard]] std::string path_of(const base::client_id& client) const;
    template <typename Use>
    int with_path(const base::client_id& client, Use use) const noexcept;

    base::fd fifo_;
    base::client_id self_;
    std::string folder_;
};

} // namespace holdfast::engine::embedded
