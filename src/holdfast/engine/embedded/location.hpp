#pragma once
// Which file: from the URL, or from the passwd entry of the user.

#include "holdfast/engine/url.hpp"

#include <string>
#include <sys/types.h>

namespace holdfast::engine::embedded {

struct location {
    std::string path;   ///< absolute; empty: the default, which only `default_path` knows
    mode_t mode = 0600; ///< of a file that has to be made
};

/// Throws error(invalid_url). Does no I/O.
[[nodiscard]] location locate(const url& where);

/// The home folder in the passwd entry of the effective user, never $HOME or XDG_*: cron, sudo and
/// a login shell must mean the same file. Throws failure.
[[nodiscard]] std::string user_home();

/// `<home>/.local/state/holdfast/locks.db`. Makes the folders below the home, mode 0700. Throws
/// failure.
[[nodiscard]] std::string default_path(const std::string& home);

/// The same file in one spelling, whatever symbolic links lead to it: the files beside it are found
/// by it. The file itself need not exist. Throws failure.
[[nodiscard]] std::string canonical_path(const std::string& path);

} // namespace holdfast::engine::embedded
