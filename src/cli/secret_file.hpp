#pragma once

// Files whose first line is a secret: a URL with a password, a token.

#include <string>

namespace holdfast::cli {

/// The first line of the file that the option names, without trailing blanks and carriage returns,
/// which editors and secret stores add. `content` says in errors what the line should be. Throws
/// holdfast::error.
std::string read_secret_file(const std::string& option, const std::string& path,
                             const std::string& content);

/// Warns if others than the owner and the group may read the file. `reader_gets` ends the sentence
/// "every user of this machine can read ...".
void warn_if_others_read(const std::string& option, const std::string& path,
                         const std::string& reader_gets);

} // namespace holdfast::cli
