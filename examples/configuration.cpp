// Read-mostly configuration: many processes read it all the time, an operator changes it now and
// then. No reader sees half of a change, and readers do not wait for one another.

#include <holdfast/holdfast.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {
constexpr int changes = 5;

/// The store: two files that belong together, read and written one by one.
class store {
public:
    int read(std::size_t file) const { return files_.at(file); }
    void write(std::size_t file, int version, std::uint64_t token) {
        const std::lock_guard lock{mutex_};
        guard_.check(token); // throws stale_token if a newer writer was here
        files_.at(file) = version;
    }

private:
    std::mutex mutex_; // makes check and write one step
    std::array<std::atomic<int>, 2> files_{};
    holdfast::fence guard_;
};

struct settings {
    int hosts = 0, ports = 0;
    std::uint64_t token = 0;
};

// [doc: configuration]
/// A reader's token is that of the last writer: while it is the same, the copy is up to date.
/// Returns whether it has loaded the files.
bool refresh(settings& copy, holdfast::shared_mutex& lock, const store& files) {
    const auto reading = lock.acquire_shared(); // beside all other readers
    if (reading.token() == copy.token) { return false; }
    settings fresh{.hosts = files.read(0), .token = reading.token()};
    std::this_thread::sleep_for(2ms); // a slow disk
    fresh.ports = files.read(1);
    if (!reading.valid()) { return false; } // a writer may have come in between: next time
    copy = fresh;
    return true;
}

void change(store& files, holdfast::shared_mutex& lock, int version) {
    const std::scoped_lock writing{lock}; // readers that come later wait for it
    files.write(0, version, lock.token());
    std::this_thread::sleep_for(2ms);
    files.write(1, version, lock.token());
}
// [end]
} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    store files;
    std::atomic<bool> torn{false};
    std::atomic<int> loads{0};
    const auto read = [&] { // each could be a process of its own
        holdfast::client fleet{url};
        holdfast::shared_mutex lock{fleet, "configuration"};
        for (settings copy; copy.ports < changes;) {
            loads += refresh(copy, lock, files) ? 1 : 0;
            if (copy.hosts != copy.ports) { torn = true; }
        }
    };
    std::vector<std::jthread> readers(4);
    for (auto& reader : readers) { reader = std::jthread{read}; }
    holdfast::client fleet{url};
    holdfast::shared_mutex lock{fleet, "configuration"};
    for (int version = 1; version <= changes; ++version) {
        std::this_thread::sleep_for(20ms);
        change(files, lock, version);
    }
    readers.clear(); // joins: each has seen the last version
    const bool only_changes = loads <= 4 * (1 + changes);
    std::cout << "a reader saw half of a change: " << (torn ? "YES" : "no") << '\n'
              << "readers loaded changes only: " << (only_changes ? "yes" : "NO") << '\n';
}
