#pragma once
// The path of the database: from the URL, or from the passwd entry of the user.

#include "holdfast/engine/url.hpp"

#include <string>
#include <sys/types.h>

namespace holdfast::engine::embedded {

struct location {
    std::string path;   ///< absolute; empty: that of `default_path`
    mode_t mode = 0600; ///< of a new file
};

/// Throws error(invalid_url). Does no I/O.
[[nodiscard]] location parse_location(const url& url);

/// The home folder in the passwd entry of the effective user, never $HOME or XDG_*: cron, sudo and
/// a login shell must use the same file. Throws failure.
[[nodiscard]] std::string user_home();

/// `<home>/.local/state/holdfast/locks.db`. Creates the folders below the home, mode 0700. Throws
/// failure.
[[nodiscard]] std::string default_path(const std::string& home);

/// The path without symbolic links, so that all processes find the same files beside it. The file
/// itself need not exist. Throws failure.
[[nodiscard]] std::string canonical_path(const std::string& path);

} // namespace holdfast::engine::embedded
