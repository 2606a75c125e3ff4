// The version of Holdfast: of these headers as macros, of the linked library as functions.
#pragma once

#include <holdfast/export.hpp>

// The build reads the version from here, and only from here.
#define HOLDFAST_VERSION_MAJOR 0
#define HOLDFAST_VERSION_MINOR 1
#define HOLDFAST_VERSION_PATCH 0
#define HOLDFAST_VERSION_STRING "0.1.0"

/// The version as one number to compare: 0.1.0 is 100, 1.2.3 is 10203.
#define HOLDFAST_VERSION                                                                           \
    (HOLDFAST_VERSION_MAJOR * 10000 + HOLDFAST_VERSION_MINOR * 100 + HOLDFAST_VERSION_PATCH)

namespace holdfast {

/// HOLDFAST_VERSION of the linked or loaded library, which may be newer than the headers that the
/// program was compiled with. Thread safety: may be called from any thread.
[[nodiscard]] HOLDFAST_API int library_version() noexcept;

/// The version of the linked or loaded library as text, e.g. "0.1.0". Never null.
[[nodiscard]] HOLDFAST_API const char* library_version_string() noexcept;

} // namespace holdfast
