#include <holdfast/version.hpp>

namespace holdfast {

int library_version() noexcept { return HOLDFAST_VERSION; }

const char* library_version_string() noexcept { return HOLDFAST_VERSION_STRING; }

} // namespace holdfast
