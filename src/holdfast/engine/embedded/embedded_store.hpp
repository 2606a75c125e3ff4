#pragma once
// One client's open store: the database, the live file and the inbox, and transactions on them.

#include "holdfast/base/ids.hpp"
#include "holdfast/engine/embedded/database.hpp"
#include "holdfast/engine/embedded/fifo_inbox.hpp"
#include "holdfast/engine/embedded/file_identities.hpp"
#include "holdfast/engine/embedded/live_file.hpp"
#include "holdfast/engine/embedded/location.hpp"
#include "holdfast/engine/embedded/tables.hpp"

#include <holdfast/error.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <sys/stat.h>

namespace holdfast::engine::embedded {

/// Thread safety: none. Throws failure where it says so.
class embedded_store {
public:
    embedded_store(location location, base::client_id self, std::string boot);
    embedded_store(const embedded_store&) = delete;
    embedded_store& operator=(const embedded_store&) = delete;
    ~embedded_store() { close(); }

    /// Opens the files if necessary, then begins a transaction. False: the file is busy, try again.
    /// Throws failure; the next call starts over.
    enum class transaction_kind : std::uint8_t { read, write };
    [[nodiscard]] bool begin(transaction_kind kind);
    /// Throws failure: then it did not happen.
    void commit();
    void rollback() noexcept;
    /// After a failure in a transaction: rolls back, and closes what may be in a bad state.
    /// `reported`: a caller gets the error. If not, the next caller gets store_replaced.
    void recover(errc code, bool reported = true) noexcept;

    void close() noexcept;
    /// Closes the connection only: holds and waiters are not affected.
    void close_database() noexcept;
    /// In a child of fork(): closes the copies of the parent's descriptors.
    void drop_descriptors() noexcept;

    [[nodiscard]] bool is_open() const noexcept { return tables_ != nullptr; }

    // REQUIRES: in a transaction, or just after one.
    [[nodiscard]] embedded::tables& tables() noexcept { return *tables_; }
    [[nodiscard]] live_file& clients() noexcept { return clients_; }
    [[nodiscard]] fifo_inbox& inbox() noexcept { return inbox_; }
    [[nodiscard]] const fifo_inbox& inbox() const noexcept { return inbox_; }
    /// The path of the database; before it is opened, that of the URL.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const file_header& header() const noexcept { return header_; }
    /// Identifies the file and its holds; never 0. The live file has the same life: another file,
    /// or a boot, which ends all holds and all clients, changes it.
    [[nodiscard]] std::uint64_t node_id() const noexcept;

    /// Housekeeping that no operation waits for: creates a removed FIFO again.
    void repair_inbox() noexcept;

private:
    [[nodiscard]] bool open();
    void register_client(const file_header& header);
    void remove_dead_inboxes();

    const location location_;
    const base::client_id self_;
    const std::string boot_;
    std::string path_;
    struct stat file_ {};
    file_identities identities_;
    bool replacement_reported_ = false; ///< since the files were last opened
    file_header header_;
    live_file clients_;
    fifo_inbox inbox_;
    // Order: the statements of the tables are destroyed before their connection.
    std::unique_ptr<sqlite_connection> connection_;
    std::unique_ptr<embedded::tables> tables_;
};

} // namespace holdfast::engine::embedded
