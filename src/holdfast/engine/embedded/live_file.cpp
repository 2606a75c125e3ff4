#include "holdfast/engine/embedded/live_file.hpp"

#include "holdfast/base/random.hpp"
#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/failure.hpp"

#include <cerrno>
#include <fcntl.h>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

constexpr std::size_t max_dead_remembered = 16;

/// 62 bits of the client's id that are random in a version 4 UUID. The file stays 16 bytes long:
/// a byte need not exist to be locked.
off_t client_byte(const base::client_id& client) noexcept {
    std::uint64_t bits = 0;
    for (const std::size_t at : {0U, 1U, 2U, 3U, 4U, 5U, 14U, 15U}) {
        bits = (bits << 8U) | client.bytes.at(at);
    }
    constexpr std::uint64_t first = 4096; // beyond the contents of the file
    return static_cast<off_t>((bits & ((std::uint64_t{1} << 62U) - 1U)) | first);
}

struct flock byte_lock(const base::client_id& client, short type) noexcept {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = client_byte(client);
    lock.l_len = 1;
    return lock;
}

} // namespace

live_id live_file::make(const std::string& path, const struct stat& database) {
    live_id id{};
    base::fill_random(id);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
        throw system_failure(path, "remove", errno);
    }
    const base::fd file{
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!file) { throw system_failure(path, "create", errno); }
    const auto written = ::write(file.get(), id.data(), id.size());
    if (written != static_cast<ssize_t>(id.size())) {
        throw system_failure(path, "write", written < 0 ? errno : ENOSPC);
    }
    copy_access(file.get(), database);
    return id;
}

bool live_file::in_use(const std::string& path) {
    const base::fd file{::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC)};
    if (!file && errno == ENOENT) { return false; }
    struct flock any {};
    any.l_type = F_RDLCK;    // conflicts with write locks only
    any.l_whence = SEEK_SET; // the whole range
    if (!file || ::fcntl(file.get(), F_OFD_GETLK, &any) != 0) {
        throw system_failure(path, "see who uses it", errno);
    }
    return any.l_type != F_UNLCK;
}

void live_file::open(const std::string& path, const live_id& expected,
                     const base::client_id& self) {
    base::fd file{::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC)};
    if (!file && errno != ENOENT) { throw system_failure(path, "open", errno); }
    live_id found{};
    const auto got = file ? ::pread(file.get(), found.data(), found.size(), 0) : 0;
    if (got < 0) { throw system_failure(path, "read", errno); }
    if (got != static_cast<ssize_t>(found.size()) || found != expected) {
        throw failure{
            errc::store_replaced,
            path + " was removed or replaced, so Holdfast cannot see which clients are alive; "
                   "end the processes that use these locks, then remove the database "
                   "beside it too"};
    }
    struct flock lock = byte_lock(self, F_WRLCK);
    if (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) {
        throw system_failure(path, "lock a byte of it", errno);
    }
    previous_file_ = std::exchange(file_, std::move(file));
    self_ = self;
}

void live_file::downgrade_lock() noexcept {
    struct flock lock = byte_lock(self_, F_RDLCK);
    // If it fails, the write lock stays, and others must wait until this client ends.
    if (file_) { ::fcntl(file_.get(), F_OFD_SETLK, &lock); }
}

void live_file::upgrade_lock(const std::string& path) {
    struct flock lock = byte_lock(self_, F_WRLCK);
    if (::fcntl(file_.get(), F_OFD_SETLK, &lock) != 0) {
        throw system_failure(path, "lock a byte of it", errno);
    }
}

bool live_file::is_alive(const base::client_id& client) const {
    if (client == self_) { return true; }
    struct flock lock = byte_lock(client, F_WRLCK); // conflicts with any lock
    // If it cannot be determined, the client counts as alive: its lease ends anyway.
    if (::fcntl(file_.get(), F_OFD_GETLK, &lock) != 0) { return true; }
    if (lock.l_type != F_UNLCK) { return true; }
    if (dead_.size() < max_dead_remembered) { dead_.push_back(client); }
    return false;
}

} // namespace holdfast::engine::embedded
