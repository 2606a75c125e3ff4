#include "holdfast/engine/embedded/fifo_inbox.hpp"

#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/failure.hpp"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <new>
#include <unistd.h>

namespace holdfast::engine::embedded {

namespace {

constexpr std::array<std::byte, 3> magic{std::byte{'H'}, std::byte{'f'}, std::byte{1}};
constexpr std::size_t max_messages_at_once = 64;

void put(message& to, std::size_t from, std::uint64_t value) noexcept {
    for (std::size_t at = 0; at < 8; ++at) {
        to.at(from + at) = static_cast<std::byte>(value >> (8U * at));
    }
}

std::uint64_t get(std::span<const std::byte> in, std::size_t from) noexcept {
    std::uint64_t value = 0;
    for (std::size_t at = 0; at < 8; ++at) {
        value |= static_cast<std::uint64_t>(in[from + at]) << (8U * at);
    }
    return value;
}

struct close_folder {
    void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

} // namespace

message encode(const notice& notice) noexcept {
    message out{magic[0], magic[1], magic[2], static_cast<std::byte>(notice.type)};
    put(out, 8, notice.number);
    put(out, 16, notice.token);
    return out;
}

std::optional<notice> decode_notice(std::span<const std::byte> from) noexcept {
    if (from.size() != std::tuple_size_v<message> || from[0] != magic[0] || from[1] != magic[1] ||
        from[2] != magic[2] || from[3] > static_cast<std::byte>(notice::kind::inbox_reset)) {
        return std::nullopt;
    }
    return notice{static_cast<notice::kind>(from[3]), get(from, 8), get(from, 16)};
}

std::string fifo_inbox::fifo_path(const base::client_id& client) const {
    return folder_ + '/' + client.text();
}

/// Returns what `use` returns; -1 and ENOMEM if there is no memory for the path.
template <typename Use>
int fifo_inbox::with_path(const base::client_id& client, Use use) const noexcept {
    try {
        return use(fifo_path(client).c_str());
    } catch (const std::bad_alloc&) {
        errno = ENOMEM;
        return -1;
    }
}

void fifo_inbox::open(const std::string& folder, const base::client_id& self,
                      const struct stat& database) {
    const mode_t mode = folder_mode(database.st_mode);
    if (::mkdir(folder.c_str(), mode) == 0) {
        copy_access(folder, mode, database);
    } else if (errno != EEXIST) {
        throw system_failure(folder, "make the folder", errno);
    }
    folder_ = folder;
    self_ = self;
    const std::string path = fifo_path(self);
    if (::mkfifo(path.c_str(), 0600) == 0) {
        copy_access(path, database.st_mode & 0666U, database);
    } else if (errno != EEXIST) { // ours, from before a failed open
        throw system_failure(path, "make a FIFO", errno);
    }
    // For reading and writing: without a writer it would be at its end all the time and poll as
    // readable.
    fifo_ = base::fd{::open(path.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)};
    if (!fifo_) { throw system_failure(path, "open", errno); }
}

void fifo_inbox::close() noexcept {
    if (!fifo_) { return; }
    fifo_.reset();
    remove(self_);
}

std::vector<notice> fifo_inbox::read() {
    std::vector<notice> out;
    std::array<std::byte, std::tuple_size_v<message> * max_messages_at_once> buffer{};
    const auto count = ::read(fifo_.get(), buffer.data(), buffer.size());
    if (count <= 0) { return out; }
    std::span<const std::byte> rest = std::span{buffer}.first(static_cast<std::size_t>(count));
    while (!rest.empty()) {
        const auto each = rest.first(std::min(rest.size(), std::tuple_size_v<message>));
        const auto notice = decode_notice(each);
        if (!notice) {
            // Not a message: the boundaries are lost, so discard the rest.
            while (::read(fifo_.get(), buffer.data(), buffer.size()) ==
                   static_cast<ssize_t>(buffer.size())) {}
            out.push_back({.type = notice::kind::inbox_reset});
            break;
        }
        out.push_back(*notice);
        rest = rest.subspan(each.size());
    }
    return out;
}

void fifo_inbox::send(const base::client_id& to, const notice& notice) const noexcept {
    const message bytes = encode(notice);
    constexpr int flags = O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
    const auto open_for = [&](int access) {
        return base::fd{
            with_path(to, [=](const char* path) { return ::open(path, access | flags); })};
    };
    if (!open_for(O_WRONLY)) { return; } // no FIFO or no reader: it is dead, or learns by its beat
    // As a reader, too: if the client dies now, write() must not kill this process by SIGPIPE.
    const auto fifo = open_for(O_RDWR);
    if (!fifo) { return; }
    struct stat about {};
    if (::fstat(fifo.get(), &about) != 0 || !S_ISFIFO(about.st_mode)) { return; }
    // If the FIFO is full, the client will wake up anyway.
    [[maybe_unused]] const auto written = ::write(fifo.get(), bytes.data(), bytes.size());
}

void fifo_inbox::remove(const base::client_id& dead) const noexcept {
    with_path(dead, [](const char* path) { return ::unlink(path); });
}

std::vector<base::client_id> fifo_inbox::other_clients(std::size_t max) const {
    std::vector<base::client_id> out;
    const std::unique_ptr<DIR, close_folder> folder{::opendir(folder_.c_str())};
    while (folder != nullptr && out.size() < max) {
        const dirent* const entry = ::readdir(folder.get()); // NOLINT(concurrency-mt-unsafe)
        if (entry == nullptr) { break; }
        const auto client = base::client_id::parse(static_cast<const char*>(entry->d_name));
        if (client && *client != self_) { out.push_back(*client); }
    }
    return out;
}

bool fifo_inbox::is_missing() const noexcept {
    // Not by path: this process may have lost access to it.
    struct stat about {};
    return fifo_ && ::fstat(fifo_.get(), &about) == 0 && about.st_nlink == 0;
}

} // namespace holdfast::engine::embedded
