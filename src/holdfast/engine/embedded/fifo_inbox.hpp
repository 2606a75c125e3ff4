#pragma once
// A client's inbox: each client reads from its own FIFO; a client that grants it a lock writes 24
// bytes there after the commit.

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

/// One notice. Shorter than PIPE_BUF, so it is written as a whole or not at all.
using message = std::array<std::byte, 24>;
[[nodiscard]] message encode(const notice& notice) noexcept;
[[nodiscard]] std::optional<notice> decode_notice(std::span<const std::byte> from) noexcept;

class fifo_inbox {
public:
    /// Creates the folder and this client's FIFO. Throws failure.
    void open(const std::string& folder, const base::client_id& self, const struct stat& database);
    /// Removes the FIFO.
    void close() noexcept;
    /// In a child of fork(): closes the parent's FIFO without removing it.
    void drop() noexcept { fifo_.reset(); }
    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(fifo_); }
    [[nodiscard]] int descriptor() const noexcept { return fifo_.get(); }

    /// The notices that have arrived, up to a limit. Unreadable bytes become one `inbox_reset`.
    [[nodiscard]] std::vector<notice> read();

    /// To another client. Delivery is not guaranteed and need not be: waiters also beat.
    void send(const base::client_id& to, const notice& notice) const noexcept;

    /// Removes the FIFO of a dead client. Client ids are never reused, so it is not that of a live
    /// client.
    void remove(const base::client_id& dead) const noexcept;
    /// Ids of other clients that have a FIFO; at most `max` of them.
    [[nodiscard]] std::vector<base::client_id> other_clients(std::size_t max) const;
    /// The FIFO was removed, e.g. by a job that deletes old files.
    [[nodiscard]] bool is_missing() const noexcept;

private:
    [[nodiscard]] std::string fifo_path(const base::client_id& client) const;
    template <typename Use>
    int with_path(const base::client_id& client, Use use) const noexcept;

    base::fd fifo_;
    base::client_id self_;
    std::string folder_;
};

} // namespace holdfast::engine::embedded
