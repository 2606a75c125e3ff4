#pragma once
// One client's open store: the database, the live file and the inbox, and transactions on them.

#include "holdfast/base/ids.hpp"
#include "holdfast/engine/embedded/fifo_inbox.hpp"
#include "holdfast/engine/embedded/live_file.hpp"
#include "holdfast/engine/embedded/location.hpp"
#include "holdfast/engine/embedded/database.hpp"
#include "holdfast/engine/embedded/file_identities.hpp"
#include "holdfast/engine/embedded/tables.hpp"

#include <holdfast/error.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <sys/stat.h>

namespace holdfast::engine::embedded {

/// Thread safety: none. Throws failure where it says so.
class store {
public:
    store(location where, base::client_id self, std::string boot);
    store(const store&) = delete;
    store& operator=(const store&) = delete;
    ~store() { close(); }

    /// Opens what is not open, then begins. False: another process is in the way, try again later.
    /// Throws failure; then everything is closed that has to be, and the next try begins anew.
    enum class access : std::uint8_t { read, write };
    [[nodiscard]] bool begin(access wanted);
    /// Throws failure: then it did not happen.
    void commit();
    void rollback() noexcept;
    /// After a failure in a transaction: rolls back, and closes what may be in a bad state.
    /// `told`: a caller hears of it. If not, the next one hears that the file was replaced.
    void recover(errc after, bool told = true) noexcept;

    void close() noexcept;
    /// Closes the connection only: who holds and waits is not affected.
    void close_database() noexcept;
    /// In a child of fork(): the descriptors there are the parent's.
    void drop_descriptors() noexcept;

    [[nodiscard]] bool is_open() const noexcept { return on_ != nullptr; }

    // REQUIRES: in a transaction, or just after one.
    [[nodiscard]] tables& on() noexcept { return *on_; }
    [[nodiscard]] live_file& clients() noexcept { return clients_; }
    [[nodiscard]] inbox& letters() noexcept { return inbox_; }
    [[nodiscard]] const inbox& letters() const noexcept { return inbox_; }
    /// The file, or what is known of it before it was opened.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const about_file& about() const noexcept { return about_; }

    /// Housekeeping that no operation waits for: makes a FIFO anew that somebody removed.
    void mend() noexcept;

private:
    [[nodiscard]] bool open();
    void go_live(const about_file& about);
    void clear_inboxes_of_dead();

    const location where_;
    const base::client_id self_;
    const std::string boot_;
    std::string path_;
    struct stat file_ {};
    placement files_;
    bool told_replaced_ = false; ///< since the files were last open
    about_file about_;
    live_file clients_;
    inbox inbox_;
    // The tables' statements go before the connection that they are prepared on.
    std::unique_ptr<connection> link_;
    std::unique_ptr<tables> on_;
};

} // namespace holdfast::engine::embedded
