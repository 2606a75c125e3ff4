#pragma once
// Examines the file of the embedded engine: its place and its rights.

#include "holdfast/engine/checkup.hpp"

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace holdfast::engine::embedded {

/// Creates the folders of the default file, as a client would; nothing else. No server is asked, so
/// `terms` do not matter.
[[nodiscard]] checkup check_up(const url& url, const checkup_terms& terms);

/// What stat(2) says of the file and of its folder.
struct file_facts {
    std::string path{};
    bool exists = false;
    mode_t mode = 0;
    mode_t folder_mode = 0;
    bool is_ours = true;          ///< belongs to the effective user
    bool can_write = true;        ///< the file, and the folder where it has companions
    std::uint64_t links = 1;      ///< hard links
    std::uint64_t free_bytes = 0; ///< for this user, on its file system
};

/// It has no I/O.
void judge_file(const file_facts& facts, checkup& out);

} // namespace holdfast::engine::embedded
