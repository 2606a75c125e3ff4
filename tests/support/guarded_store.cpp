#include "support/guarded_store.hpp"

#include "holdfast/base/fd.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::test {

namespace {

void require(bool succeeded, const std::filesystem::path& file) {
    if (!succeeded) { throw std::system_error{errno, std::generic_category(), file.string()}; }
}

base::fd open_file(const std::filesystem::path& file) {
    base::fd out{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    require(static_cast<bool>(out), file);
    return out;
}

/// 0 from a new file. Eight bytes are read and written atomically, also by a process that is
/// killed.
template <class Number>
Number read_number(const base::fd& from, const std::filesystem::path& file) {
    Number out = 0;
    require(::pread(from.get(), &out, sizeof out, 0) >= 0, file);
    return out;
}

template <class Number>
void write_number(const base::fd& to, Number value, const std::filesystem::path& file) {
    require(::pwrite(to.get(), &value, sizeof value, 0) == sizeof value, file);
}

} // namespace

bool guarded_store::write(std::uint64_t token) const {
    const auto file = open_file(file_);
    while (::flock(file.get(), LOCK_EX) != 0) { require(errno == EINTR, file_); }
    if (token < read_number<std::uint64_t>(file, file_)) { return false; }
    write_number(file, token, file_);
    return true;
}

std::uint64_t guarded_store::highest() const {
    return read_number<std::uint64_t>(open_file(file_), file_);
}

std::int64_t unguarded_counter::increment() const {
    const auto file = open_file(file_);
    const auto next = read_number<std::int64_t>(file, file_) + 1;
    ::sched_yield(); // a concurrent writer then reads the old value
    write_number(file, next, file_);
    return next;
}

std::int64_t unguarded_counter::value() const {
    return read_number<std::int64_t>(open_file(file_), file_);
}

} // namespace holdfast::test
