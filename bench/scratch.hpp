#pragma once
// A temporary folder, which the destructor removes.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace holdfast::bench {

class scratch {
public:
    scratch() {
        // Not in /tmp, which may be in memory: the store is measured on a disk.
        std::string pattern = "/var/tmp/holdfast-bench-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) { throw std::runtime_error{"no scratch folder"}; }
        path_ = pattern;
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

} // namespace holdfast::bench
