#include "support/scratch_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace holdfast::test {

scratch_folder::scratch_folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "holdfast-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) { throw std::runtime_error{"mkdtemp failed"}; }
    path_ = pattern;
}

scratch_folder::~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

} // namespace holdfast::test
