#include <holdfast/fence.hpp>

namespace holdfast {

void fence::refuse(std::uint64_t token, std::uint64_t highest) {
    throw error{errc::stale_token,
                "token " + std::to_string(token) + " is refused: " + std::to_string(highest) +
                    " has been seen, so another holder has taken over; stop this work"};
}

} // namespace holdfast
