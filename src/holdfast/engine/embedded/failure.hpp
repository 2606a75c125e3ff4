#pragma once
// What can go wrong with the file, as an exception that never leaves the engine.

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

/// A failed system call: `doing` is "create", "open" and the like.
[[nodiscard]] failure system_failure(const std::string& path, const char* doing, int number);

/// What SQLite said last on this connection. The one place where its codes get their meaning.
[[nodiscard]] failure sqlite_failure(const std::string& path, sqlite3* connection, int result);

/// The part of `sqlite_failure` without a connection; `system_error` is errno, or 0.
[[nodiscard]] errc meaning_of(int sqlite_result, int system_error) noexcept;
[[nodiscard]] errc meaning_of_errno(int number) noexcept;

/// The file contradicts itself.
[[nodiscard]] failure damaged(const std::string& path, const std::string& how);

/// `name` or `name: advice`, for the end of a detail.
[[nodiscard]] const char* advice(errc code) noexcept;

} // namespace holdfast::engine::embedded
