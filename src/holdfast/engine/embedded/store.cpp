#include "holdfast/engine/embedded/store.hpp"

#include "holdfast/engine/embedded/beside.hpp"
#include "holdfast/engine/embedded/failure.hpp"

#include <cerrno>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

/// FIFOs of other clients that one opening looks at.
constexpr std::size_t most_inboxes_cleared = 64;

bool is_at(const std::string& path, dev_t device, ino_t inode) noexcept {
    struct stat now {};
    return ::stat(path.c_str(), &now) == 0 && now.st_dev == device && now.st_ino == inode;
}

} // namespace

store::store(location where, base::client_id self, std::string boot)
    : where_{std::move(where)}, self_{self}, boot_{std::move(boot)}, path_{where_.path} {}

bool store::open() {
    if (boot_.empty()) {
        throw failure{errc::store_unsuitable,
                      "the id of this boot cannot be read from /proc/sys/kernel/random/boot_id, so "
                      "locks from before a reboot could not be told from others; mount /proc"};
    }
    if (!clients_.is_open()) {
        path_ = one_spelling(where_.path.empty() ? default_path(home_of_user()) : where_.path);
    }
    auto file = open_file(path_, where_.mode, boot_);
    if (!file) { return false; }
    if (clients_.is_open() && file->about.live != about_.live) {
        throw failure{errc::store_replaced,
                      path_ + " was replaced; " + advice(errc::store_replaced)};
    }
    about_ = file->about;
    file_ = file->file;
    in_use_ = {{{path_, file_.st_ino}, {path_ + "-wal", 0}, {path_ + "-shm", 0}}};
    for (opened_file& one : in_use_) {
        struct stat now {};
        if (::stat(one.path.c_str(), &now) != 0) { throw system_failure(one.path, "find", errno); }
        if (one.inode == 0) { one.inode = now.st_ino; }
    }
    // First alive, then an inbox: an inbox whose client is not alive may be removed by anybody.
    if (!clients_.is_open()) { clients_.open(live_path(path_), about_.live, self_); }
    if (!inbox_.is_open()) {
        inbox_.open(inbox_folder(path_), self_, file_);
        clear_inboxes_of_dead();
    }
    on_ = std::move(file->on);
    link_ = std::move(file->link);
    return true;
}

/// Somebody who removes or replaces the files takes the locks of all with them: whoever goes on
/// with the old ones would exclude nobody.
void store::demand_in_place() const {
    for (const opened_file& one : in_use_) {
        if (is_at(one.path, file_.st_dev, one.inode)) { continue; }
        throw failure{errc::store_replaced,
                      one.path + " was moved or removed while in use, so locks may be lost; " +
                          advice(errc::store_replaced)};
    }
}

bool store::begin(access how) {
    if (on_ == nullptr && !open()) { return false; }
    if (!(how == access::write ? on_->begin_write() : on_->begin_read())) { return false; }
    demand_in_place();
    return true;
}

void store::commit() {
    on_->commit();
    link_->keep_wal_short();
    for (const auto& dead : clients_.take_dead()) { inbox_.remove(dead); }
}

void store::rollback() noexcept {
    if (on_ != nullptr) { on_->rollback(); }
}

void store::recover(errc after) noexcept {
    rollback();
    switch (after) {
    case errc::store_full:
    case errc::unavailable: return;
    case errc::store_replaced: close(); return;
    // The live file stays open: were it closed, other processes would take us for dead and give
    // away what we hold.
    default: close_database(); return;
    }
}

void store::close_database() noexcept {
    on_.reset();
    link_.reset();
}

void store::close() noexcept {
    close_database();
    inbox_.close();
    clients_.close();
}

void store::drop_descriptors() noexcept {
    inbox_.drop();
    clients_.close();
}

void store::clear_inboxes_of_dead() {
    for (const auto& client : inbox_.others(most_inboxes_cleared)) {
        if (!clients_.is_alive(client)) { inbox_.remove(client); }
    }
    (void)clients_.take_dead();
}

void store::mend() {
    if (inbox_.is_missing()) { inbox_.open(inbox_folder(path_), self_, file_); }
}

} // namespace holdfast::engine::embedded
