#include "holdfast/drive/answer_queue.hpp"

#include <algorithm>

namespace holdfast::drive {

void answer_queue::grow(std::size_t operations) {
    constexpr std::size_t least = 8;
    const auto room = std::max({least, 2 * room_, operations});
    arrived_.reserve(room);
    spare_.reserve(room); // they are swapped
    room_ = room;
}

} // namespace holdfast::drive
