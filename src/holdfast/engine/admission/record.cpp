#include "holdfast/engine/admission/record.hpp"

#include <chrono>

namespace holdfast::engine::admission {

bool forgettable(const record& what, std::int64_t wall_us) noexcept {
    constexpr auto memory_us =
        std::chrono::duration_cast<std::chrono::microseconds>(token_memory).count();
    return what.idle() && wall_us - what.used_wall_us >= memory_us &&
           wall_us > static_cast<std::int64_t>(what.high_water);
}

} // namespace holdfast::engine::admission
