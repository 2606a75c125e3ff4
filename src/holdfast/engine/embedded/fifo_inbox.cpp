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

constexpr std::array<std::byte, 3> mark{std::byte{'H'}, std::byte{'f'}, std::byte{1}};
constexpr std::size_t most_messages_at_once = 64;

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
    void operator()(DIR* what) const noexcept { ::closedir(what); }
};

} // namespace

message encode(const notice& notice) noexcept {
    message out{mark[0], mark[1], mark[2], static_cast<std::byte>(notice.type)};
    put(out, 8, notice.number);
    put(out, 16, notice.token);
    return out;
}

std::optional<notice> decode_notice(std::span<const std::byte> from) noexcept {
    if (from.size() != std::tuple_size_v<message> || from[0] != mark[0] || from[1] != mark[1] ||
        from[2] != mark[2] || from[3] > static_cast<std::byte>(notice::kind::inbox_reset)) {
        return std::nullopt;
    }
    return notice{static_cast<notice::kind>(from[3]), get(from, 8), get(from, 16)};
}

std::string inbox::path_of(const base::client_id& client) const {
    return folder_ + '/' + client.text();
}

/// What `use` gives; -1 and ENOMEM if there is no memory for the path.
template <typename Use>
int inbox::with_path(const base::client_id& client, Use use) const noexcept {
    try {
        return use(path_of(client).c_str());
    } catch (const std::bad_alloc&) {
        errno = ENOMEM;
        return -1;
    }
}

void inbox::open(const std::string& folder, const base::client_id& self, const struct stat& like) {
    const mode_t mode = folder_mode(like.st_mode);
    if (::mkdir(folder.c_str(), mode) == 0) {
        resemble(folder, mode, like);
    } else if (errno != EEXIST) {
        throw system_failure(folder, "make the folder", errno);
    }
    folder_ = folder;
    self_ = self;
    const std::string path = path_of(self);
    if (::mkfifo(path.c_str(), 0600) == 0) {
        resemble(path, like.st_mode & 0666U, like);
    } else if (errno != EEXIST) { // ours, from before a failed open
        throw system_failure(path, "make a FIFO", errno);
    }
    // For reading and writing: with nobody else at the other end it must neither fail to open nor
    // be at its end all the time.
    fifo_ = base::fd{::open(path.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)};
    if (!fifo_) { throw system_failure(path, "open", errno); }
}

void inbox::close() noexcept {
    if (!fifo_) { return; }
    fifo_.reset();
    remove(self_);
}

std::vector<notice> inbox::read() {
    std::vector<notice> out;
    std::array<std::byte, std::tuple_size_v<message> * most_messages_at_once> room{};
    const auto got = ::read(fifo_.get(), room.data(), room.size());
    if (got <= 0) { return out; }
    std::span<const std::byte> rest = std::span{room}.first(static_cast<std::size_t>(got));
    while (!rest.empty()) {
        const auto each = rest.first(std::min(rest.size(), std::tuple_size_v<message>));
        const auto notice = decode_notice(each);
        if (!notice) {
            // Not ours, and from here on we are out of step: throw all of it away.
            while (::read(fifo_.get(), room.data(), room.size()) ==
                   static_cast<ssize_t>(room.size())) {}
            out.push_back({.type = notice::kind::inbox_reset});
            break;
        }
        out.push_back(*notice);
        rest = rest.subspan(each.size());
    }
    return out;
}

void inbox::send(const base::client_id& to, const notice& notice) const noexcept {
    const message text = encode(notice);
    const base::fd fifo{with_path(to, [](const char* path) {
        return ::open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    })};
    if (!fifo) { return; } // gone, or nobody reads: the client is dead or beats
    struct stat about {};
    if (::fstat(fifo.get(), &about) != 0 || !S_ISFIFO(about.st_mode)) { return; }
    // Full: it has more than enough reason to wake up.
    [[maybe_unused]] const auto written = ::write(fifo.get(), text.data(), text.size());
}

void inbox::remove(const base::client_id& dead) const noexcept {
    with_path(dead, [](const char* path) { return ::unlink(path); });
}

std::vector<base::client_id> inbox::others(std::size_t most) const {
    std::vector<base::client_id> out;
    const std::unique_ptr<DIR, close_folder> folder{::opendir(folder_.c_str())};
    while (folder != nullptr && out.size() < most) {
        const dirent* const entry = ::readdir(folder.get()); // NOLINT(concurrency-mt-unsafe)
        if (entry == nullptr) { break; }
        const auto client = base::client_id::parse(static_cast<const char*>(entry->d_name));
        if (client && *client != self_) { out.push_back(*client); }
    }
    return out;
}

bool inbox::is_missing() const noexcept {
    // Not by its path, which this process may not be able to follow any more.
    struct stat about {};
    return fifo_ && ::fstat(fifo_.get(), &about) == 0 && about.st_nlink == 0;
}

} // namespace holdfast::engine::embedded
