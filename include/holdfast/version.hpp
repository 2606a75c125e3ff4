// The version of Holdfast: of these headers as macros, of the linked library as functions.
#pragma once

#include <holdfast/export.hpp>

// The only place where the version is written: the build reads it from here.
#define HOLDFAST_VERSION_MAJOR 0
#define HOLDFAST_VERSION_MINOR 1
#define HOLDFAST_VERSION_PATCH 0
#define HOLDFAST_VERSION_STRING "0.1.0"

/// One number to compare with: 0.1.0 is 100, 1.2.3 is 10203.
#define HOLDFAST_VERSION                                                                           \
    (HOLDFAST_VERSION_MAJOR * 10000 + HOLDFAST_VERSION_MINOR * 100 + HOLDFAST_VERSION_PATCH)

namespace holdfast {

/// HOLDFAST_VERSION of the library that was linked or loaded, which may be newer than the headers
/// that a program was compiled with. Thread safety: safe from any thread.
[[nodiscard]] HOLDFAST_API int library_version() noexcept;

/// The same as text: "0.1.0". Never null.
[[nodiscard]] HOLDFAST_API const char* library_version_string() noexcept;

} // namespace holdfast
