// HOLDFAST_API marks what the shared library exports; all else in it is hidden.
#pragma once

#if defined(HOLDFAST_STATIC)
#    define HOLDFAST_API
#else
#    define HOLDFAST_API __attribute__((visibility("default")))
#endif
