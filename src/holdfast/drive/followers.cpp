#include "holdfast/drive/followers.hpp"

namespace holdfast::drive {

void followers::add(sleeper& sleeper) noexcept {
    sleeper.follows_ = true;
    sleeper.previous_ = last_;
    sleeper.next_ = nullptr;
    (last_ == nullptr ? first_ : last_->next_) = &sleeper;
    last_ = &sleeper;
    ++count_;
}

void followers::remove(sleeper& sleeper) noexcept {
    sleeper.follows_ = false;
    (sleeper.previous_ == nullptr ? first_ : sleeper.previous_->next_) = sleeper.next_;
    (sleeper.next_ == nullptr ? last_ : sleeper.next_->previous_) = sleeper.previous_;
    --count_;
}

} // namespace holdfast::drive
