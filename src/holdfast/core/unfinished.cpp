#include "holdfast/core/unfinished.hpp"

#include <utility>

namespace holdfast::core {

unfinished::~unfinished() {
    while (first_ != nullptr) { first_->unlink(); }
}

void unfinished::entry::unlink() noexcept {
    if (list_ == nullptr) { return; }
    (before_ != nullptr ? before_->after_ : list_->first_) = after_;
    if (after_ != nullptr) { after_->before_ = before_; }
    list_ = nullptr;
    before_ = after_ = nullptr;
}

void unfinished::set(entry& member, bool is_unfinished) noexcept {
    if (!is_unfinished) { return member.unlink(); }
    if (member.list_ != nullptr) { return; }
    member.list_ = this;
    member.after_ = std::exchange(first_, &member);
    if (member.after_ != nullptr) { member.after_->before_ = &member; }
}

void unfinished::send_all(const std::string& name, base::instant now) noexcept {
    for (entry* member = first_; member != nullptr;) {
        entry* const next = member->after_; // the member leaves the list when it is sent
        if (member->name_ == name) {
            const auto kept = member->owner_.shared_from_this();
            kept->on_hurry(now);
        }
        member = next;
    }
}

} // namespace holdfast::core
