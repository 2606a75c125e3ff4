#pragma once
// Which clients are alive: each keeps one byte of a file locked, and the kernel unlocks it when the
// client's process dies, however it dies.

#include "holdfast/base/fd.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/engine/admission/queue.hpp"
#include "holdfast/engine/embedded/codec.hpp"

#include <array>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace holdfast::engine::embedded {

/// Says which file it is. It is written in the database too: were the live file replaced, every
/// client that locked a byte of the old one would look dead, and its locks would be given away.
using live_id = std::array<std::byte, 16>;

/// One client's view of `<path>-live`.
///
/// A write lock says that the client uses the database, -wal and -shm; a read lock that it is alive
/// but has closed them.
///
/// The locks are open file description locks. Classic POSIX locks would vanish as soon as anything
/// in this process closes any descriptor of the file, and a live client would look dead: two
/// holders. These fail in the other direction only: a child of fork() that keeps the descriptor
/// would make a dead parent look alive until the lease ends, so the child closes it (fork_watch).
class live_file final : public admission::liveness {
public:
    /// Makes a new, empty live file, in place of one that nothing refers to any more.
    /// `like`: whose mode and group it gets. Throws failure.
    [[nodiscard]] static live_id make(const std::string& path, const struct stat& like);

    /// Whether any client, of this process or another, uses the files beside it. No file: nobody.
    /// Throws failure if that cannot be told.
    [[nodiscard]] static bool in_use(const std::string& path);

    /// Locks the byte of `self`. Throws failure, store_replaced if it is not the file `expected`;
    /// then the file that was open before stays open.
    void open(const std::string& path, const live_id& expected, const base::client_id& self);
    /// This client has closed the other files, because they were removed or replaced, but is alive:
    /// it holds what it holds, and does not keep others from making new files.
    void stand_aside() noexcept;
    /// It has them open again. Throws failure.
    void stand_in(const std::string& path);
    void close() noexcept {
        file_.reset();
        former_.reset();
    }
    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(file_); }

    [[nodiscard]] bool is_alive(const base::client_id& client) const override;

    /// Clients that were found dead since the last call, a few at most: their inboxes can go.
    [[nodiscard]] std::vector<base::client_id> take_dead() { return std::exchange(dead_, {}); }

private:
    base::fd file_;
    /// The file before it, if it was replaced. Its byte stays locked: those who still find that
    /// file, e.g. in a folder that was renamed, must not take this client for dead while its leases
    /// last.
    base::fd former_;
    base::client_id self_;
    mutable std::vector<base::client_id> dead_;
};

} // namespace holdfast::engine::embedded
