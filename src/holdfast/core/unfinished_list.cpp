#include "holdfast/core/unfinished_list.hpp"

#include <utility>

namespace holdfast::core {

unfinished_list::~unfinished_list() {
    while (first_ != nullptr) { first_->unlink(); }
}

void unfinished_list::entry::leave() noexcept {
    (previous_ != nullptr ? previous_->next_ : list_->first_) = next_;
    if (next_ != nullptr) { next_->previous_ = previous_; }
    list_ = nullptr;
    previous_ = next_ = nullptr;
}

void unfinished_list::add(entry& member) noexcept {
    member.list_ = this;
    member.next_ = std::exchange(first_, &member);
    if (member.next_ != nullptr) { member.next_->previous_ = &member; }
}

void unfinished_list::resend(const std::string& name, base::instant now) noexcept {
    for (entry* member = first_; member != nullptr;) {
        entry* const next = member->next_; // on_hurry() removes the member from the list
        if (member->name_ == name) {
            const auto kept = member->owner_.shared_from_this();
            kept->on_hurry(now);
        }
        member = next;
    }
}

} // namespace holdfast::core
