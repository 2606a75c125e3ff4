#pragma once
// A folder that goes away with what is in it.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace holdfast::bench {

class scratch {
public:
    scratch() {
        // Not /tmp, which may be memory: the store is measured where people keep files.
        std::string shape = "/var/tmp/holdfast-bench-XXXXXX";
        if (::mkdtemp(shape.data()) == nullptr) { throw std::runtime_error{"no scratch folder"}; }
        path_ = shape;
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
