#include "holdfast/engine/embedded/embedded_store.hpp"

#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/failure.hpp"

#include <exception>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

/// FIFOs of other clients that one opening looks at.
constexpr std::size_t most_inboxes_cleared = 64;

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
        path_ = canonical_path(where_.path.empty() ? default_path(user_home()) : where_.path);
    }
    auto file = open_file(path_, where_.mode, boot_);
    if (!file) { return false; }
    if (clients_.is_open() && file->about.live != about_.live && !told_replaced_) {
        throw failure{errc::store_replaced,
                      path_ + " was replaced; " + advice(errc::store_replaced)};
    }
    placement files{path_};
    file_ = file->file;
    go_live(file->about);
    files_ = std::move(files);
    on_ = std::move(file->on);
    link_ = std::move(file->link);
    told_replaced_ = false;
    return true;
}

/// First alive, then an inbox: an inbox whose client is not alive may be removed by anybody.
void store::go_live(const about_file& about) {
    if (clients_.is_open() && about.live == about_.live) {
        clients_.stand_in(live_path(path_));
    } else {
        clients_.open(live_path(path_), about.live, self_);
    }
    about_ = about;
    if (!inbox_.is_open() || inbox_.is_missing()) {
        inbox_.open(inbox_folder(path_), self_, file_);
        clear_inboxes_of_dead();
    }
}

bool store::begin(access wanted) {
    if (on_ == nullptr && !open()) { return false; }
    try {
        if (!(wanted == access::write ? on_->begin_write() : on_->begin_read())) { return false; }
    } catch (const failure&) {
        files_.demand(); // if they were replaced, that is why
        throw;
    }
    files_.demand();
    return true;
}

void store::commit() {
    on_->commit();
    link_->keep_wal_short();
    for (const auto& dead : clients_.take_dead()) { inbox_.remove(dead); }
}

void store::rollback() noexcept {
    // Where there is no memory even for that, closing ends the transaction.
    if (on_ != nullptr && !on_->rollback()) { close_database(); }
}

void store::recover(errc after, bool told) noexcept {
    rollback();
    switch (after) {
    case errc::store_full:
    case errc::unavailable: return;
    // The live file stays open: were it closed, other processes would take us for dead and give
    // away what we hold.
    case errc::store_replaced:
        close_database();
        clients_.stand_aside();
        told_replaced_ = told_replaced_ || told;
        return;
    default: close_database(); return;
    }
}

void store::close_database() noexcept {
    on_.reset();
    link_.reset();
    files_ = {};
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

void store::mend() noexcept {
    try {
        if (inbox_.is_missing()) { inbox_.open(inbox_folder(path_), self_, file_); }
    } catch (const std::exception&) {
        // Without it a wake-up costs up to a second: no reason to fail anything.
    }
}

} // namespace holdfast::engine::embedded
