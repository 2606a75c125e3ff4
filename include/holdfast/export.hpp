// HOLDFAST_API marks the symbols that the shared library exports.
#pragma once

#if defined(HOLDFAST_STATIC)
#    define HOLDFAST_API
#else
#    define HOLDFAST_API __attribute__((visibility("default")))
#endif
