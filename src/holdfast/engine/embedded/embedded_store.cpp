#include "holdfast/engine/embedded/embedded_store.hpp"

#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/failure.hpp"

#include <cstring>
#include <exception>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

/// How many FIFOs of other clients are checked when the store is opened.
constexpr std::size_t max_inboxes_cleared = 64;

} // namespace

embedded_store::embedded_store(location location, base::client_id self, std::string boot)
    : location_{std::move(location)}, self_{self}, boot_{std::move(boot)}, path_{location_.path} {}

bool embedded_store::open() {
    if (boot_.empty()) {
        throw failure{errc::store_unsuitable,
                      "the id of this boot cannot be read from /proc/sys/kernel/random/boot_id, so "
                      "locks from before a reboot could not be told from others; mount /proc"};
    }
    if (!clients_.is_open()) {
        path_ = canonical_path(location_.path.empty() ? default_path(user_home()) : location_.path);
    }
    auto database = open_database(path_, location_.mode, boot_);
    if (!database) { return false; }
    if (clients_.is_open() && database->header.live != header_.live && !replacement_reported_) {
        throw failure{errc::store_replaced,
                      path_ + " was replaced; " + advice(errc::store_replaced)};
    }
    file_identities identities{path_};
    file_ = database->file;
    register_client(database->header);
    identities_ = std::move(identities);
    tables_ = std::move(database->tables);
    connection_ = std::move(database->connection);
    replacement_reported_ = false;
    return true;
}

/// Locks the byte first, then creates the inbox: any client may remove the inbox of a dead client.
void embedded_store::register_client(const file_header& header) {
    if (clients_.is_open() && header.live == header_.live) {
        clients_.upgrade_lock(live_path(path_));
    } else {
        clients_.open(live_path(path_), header.live, self_);
    }
    header_ = header;
    if (!inbox_.is_open() || inbox_.is_missing()) {
        inbox_.open(inbox_folder(path_), self_, file_);
        remove_dead_inboxes();
    }
}

bool embedded_store::begin(transaction_kind kind) {
    if (tables_ == nullptr && !open()) { return false; }
    try {
        if (!(kind == transaction_kind::write ? tables_->begin_write() : tables_->begin_read())) {
            return false;
        }
    } catch (const failure&) {
        identities_.check(); // replaced files explain the failure better
        throw;
    }
    identities_.check();
    return true;
}

std::uint64_t embedded_store::node_id() const noexcept {
    std::uint64_t id = 0;
    static_assert(sizeof id <= std::tuple_size_v<live_id>);
    std::memcpy(&id, header_.live.data(), sizeof id);
    return id == 0 ? 1 : id;
}

void embedded_store::commit() {
    tables_->commit();
    connection_->limit_wal();
    for (const auto& dead : clients_.take_dead()) { inbox_.remove(dead); }
}

void embedded_store::rollback() noexcept {
    // If there is no memory for the roll-back, closing ends the transaction.
    if (tables_ != nullptr && !tables_->rollback()) { close_database(); }
}

void embedded_store::recover(errc code, bool reported) noexcept {
    rollback();
    switch (code) {
    case errc::store_full:
    case errc::unavailable: return;
    // The live file stays open: without the lock, other processes would take this client for dead
    // and grant its locks again.
    case errc::store_replaced:
        close_database();
        clients_.downgrade_lock();
        replacement_reported_ = replacement_reported_ || reported;
        return;
    default: close_database(); return;
    }
}

void embedded_store::close_database() noexcept {
    tables_.reset();
    connection_.reset();
    identities_ = {};
}

void embedded_store::close() noexcept {
    close_database();
    inbox_.close();
    clients_.close();
}

void embedded_store::drop_descriptors() noexcept {
    inbox_.drop();
    clients_.close();
}

void embedded_store::remove_dead_inboxes() {
    for (const auto& client : inbox_.other_clients(max_inboxes_cleared)) {
        if (!clients_.is_alive(client)) { inbox_.remove(client); }
    }
    (void)clients_.take_dead();
}

void embedded_store::repair_inbox() noexcept {
    try {
        if (inbox_.is_missing()) { inbox_.open(inbox_folder(path_), self_, file_); }
    } catch (const std::exception&) {
        // Without it a wake-up takes up to a second, which is no reason to fail.
    }
}

} // namespace holdfast::engine::embedded
