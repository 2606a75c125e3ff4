#pragma once
// One failure, told the way that the caller asked for: thrown, or set.

#include <holdfast/error.hpp>

#include <string>
#include <system_error>

namespace holdfast::api {

/// Throws error{code, detail} if `failure` is null, else sets it.
void fail(std::error_code* failure, std::error_code code, const std::string& detail);

inline void clear(std::error_code* failure) noexcept {
    if (failure != nullptr) { failure->clear(); }
}

/// Runs `check`, which throws holdfast::error; false if it did and `failure` is set instead.
template <class Check>
bool passes(std::error_code* failure, Check&& check) {
    if (failure == nullptr) {
        check();
        return true;
    }
    try {
        check();
        return true;
    } catch (const error& error) {
        *failure = error.code();
        return false;
    }
}

} // namespace holdfast::api
