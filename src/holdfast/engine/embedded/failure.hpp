#pragma once
// Failures of the file, as an exception that never leaves the engine.

#include <holdfast/error.hpp>

#include <stdexcept>
#include <string>

struct sqlite3;

namespace holdfast::engine::embedded {

/// An operation did not happen. `what()` names the file, says what is wrong and what to do.
class failure : public std::runtime_error {
public:
    failure(errc code, const std::string& detail) : std::runtime_error{detail}, code_{code} {}
    [[nodiscard]] errc code() const noexcept { return code_; }

private:
    errc code_;
};

/// A failed system call: `action` is a verb for the message, such as "create" or "open".
[[nodiscard]] failure system_failure(const std::string& path, const char* action, int number);

/// The last error of SQLite on this connection. Only here its codes are mapped to ours.
[[nodiscard]] failure sqlite_failure(const std::string& path, sqlite3* connection, int result);

/// The part of `sqlite_failure` without a connection; `system_error` is errno, or 0.
[[nodiscard]] errc errc_of_sqlite(int sqlite_result, int system_error) noexcept;
[[nodiscard]] errc errc_of_errno(int number) noexcept;

/// The file is inconsistent.
[[nodiscard]] failure damaged(const std::string& path, const std::string& reason);

/// What the user can do about it, for the end of a message.
[[nodiscard]] const char* advice(errc code) noexcept;

} // namespace holdfast::engine::embedded
