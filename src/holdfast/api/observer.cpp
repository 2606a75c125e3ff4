#include <holdfast/observer.hpp>

namespace holdfast {

observer::~observer() = default;

const char* to_string(event::kind type) noexcept {
    switch (type) {
    case event::kind::lost: return "lost";
    case event::kind::renewal_failed: return "renewal_failed";
    case event::kind::renewal_recovered: return "renewal_recovered";
    case event::kind::release_failed: return "release_failed";
    case event::kind::unlock_after_loss: return "unlock_after_loss";
    case event::kind::unlock_not_held: return "unlock_not_held";
    case event::kind::thread_exited: return "thread_exited";
    case event::kind::withdraw_failed: return "withdraw_failed";
    }
    return "unknown";
}

} // namespace holdfast
