#pragma once
// Reports a failure as the caller chose: thrown, or set in a std::error_code.

#include <holdfast/error.hpp>

#include <string>
#include <system_error>

namespace holdfast::api {

/// `subject: detail`, or `subject: ` and the general text of the code.
[[nodiscard]] std::string message(std::error_code code, const std::string& subject,
                                  const std::string& detail);

/// Throws error{code, message(...)} if `failure` is null, else sets it.
void fail(std::error_code* failure, std::error_code code, const std::string& subject,
          const std::string& detail = {});

inline void clear(std::error_code* failure) noexcept {
    if (failure != nullptr) { failure->clear(); }
}

/// Runs `check`, which may throw holdfast::error. If `failure` is not null, sets it instead of
/// throwing, and returns false.
template <class Check>
bool passes(std::error_code* failure, Check&& check) {
    if (failure == nullptr) {
        check();
        return true;
    }
    try {
        check();
        return true;
    } catch (const error& thrown) {
        *failure = thrown.code();
        return false;
    }
}

} // namespace holdfast::api
