#pragma once
// What the parts of client_core share: time limits and the text of an error.

#include "holdfast/base/clock.hpp"

namespace holdfast::core {

/// How long unlock() and destructors wait for the reply to their release.
inline constexpr base::milliseconds release_wait{200};

inline constexpr const char* forked_detail =
    "this client was made before fork(); make a new one in the child process";

} // namespace holdfast::core
