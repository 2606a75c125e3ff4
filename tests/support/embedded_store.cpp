#include "support/embedded_store.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace holdfast::test {

embedded_store::embedded_store() : maker_{::getpid()} {
    std::string pattern = std::filesystem::temp_directory_path() / "holdfast-test-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw std::system_error{errno, std::generic_category(), pattern};
    }
    folder_ = pattern;
}

embedded_store::~embedded_store() {
    // In a forked child the folder and the file belong to the parent.
    if (::getpid() != maker_) { return; }
    ::sqlite3_close(intruder_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

bool embedded_store::hang() {
    constexpr int patience_ms = 10'000; // many users of the file take turns
    return ::sqlite3_open_v2(file().c_str(), &intruder_, SQLITE_OPEN_READWRITE, nullptr) ==
               SQLITE_OK &&
           ::sqlite3_busy_timeout(intruder_, patience_ms) == SQLITE_OK &&
           ::sqlite3_exec(intruder_, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK;
}

void embedded_store::resume() {
    ::sqlite3_close(std::exchange(intruder_, nullptr)); // ends the transaction
}

bool embedded_store::lose_data() {
    for (const auto& entry : std::filesystem::directory_iterator{folder_}) {
        std::filesystem::remove_all(entry.path());
    }
    return true;
}

} // namespace holdfast::test
