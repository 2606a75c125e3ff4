#pragma once
// The live file, which shows which clients are alive: each client locks one byte of it, and the
// kernel unlocks the byte when the process dies.

#include "holdfast/base/fd.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/engine/admission/queue.hpp"
#include "holdfast/engine/embedded/codec.hpp"

#include <array>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace holdfast::engine::embedded {

/// Identifies the live file; also stored in the database. If the live file were replaced unnoticed,
/// every client that locked a byte of the old one would look dead and lose its locks.
using live_id = std::array<std::byte, 16>;

/// One client's view of `<path>-live`.
///
/// | lock on its byte | the client                                |
/// |------------------|-------------------------------------------|
/// | write lock       | is alive and uses database, -wal and -shm |
/// | read lock        | is alive, but has closed these files      |
/// | none             | is dead                                   |
///
/// The locks are open file description locks. Classic POSIX locks end as soon as anything in this
/// process closes any descriptor of the file; a live client would look dead: two holders. These can
/// only fail the other way: a child of fork() that keeps the descriptor makes a dead parent look
/// alive until the lease ends, so the child closes it (fork_watch).
class live_file final : public admission::liveness {
public:
    /// Creates a new live file in place of an old one that no database refers to. It gets the mode
    /// and group of `database`. Throws failure.
    [[nodiscard]] static live_id make(const std::string& path, const struct stat& database);

    /// Whether any client, of this process or another, uses the files beside it; false if there is
    /// no such file. Throws failure if that cannot be determined.
    [[nodiscard]] static bool in_use(const std::string& path);

    /// Locks the byte of `self`. Throws failure (store_replaced if it is not the file `expected`);
    /// then the file that was open before stays open.
    void open(const std::string& path, const live_id& expected, const base::client_id& self);
    /// To a read lock: this client has closed the other files, because they were removed or
    /// replaced, but is alive. It keeps its holds, and others may create new files.
    void downgrade_lock() noexcept;
    /// To a write lock: it has these files open again. Throws failure.
    void upgrade_lock(const std::string& path);
    void close() noexcept {
        file_.reset();
        previous_file_.reset();
    }
    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(file_); }

    [[nodiscard]] bool is_alive(const base::client_id& client) const override;

    /// A few of the clients that were found dead since the last call: their inboxes can be removed.
    [[nodiscard]] std::vector<base::client_id> take_dead() { return std::exchange(dead_, {}); }

private:
    base::fd file_;
    /// The file before it, if it was replaced. Its byte stays locked: clients that still use that
    /// file, e.g. in a renamed folder, must not take this client for dead while its leases last.
    base::fd previous_file_;
    base::client_id self_;
    mutable std::vector<base::client_id> dead_;
};

} // namespace holdfast::engine::embedded
