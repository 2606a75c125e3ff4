#include "sim/node/script_library.hpp"

#include "sim/node/sha1.hpp"

#include <utility>

namespace holdfast::sim {

script_library::script_library(lua_vm& vm, editor edit) : vm_{vm}, edit_{std::move(edit)} {}

const known_script& script_library::load(std::string_view text) {
    text_ = text;
    if (const auto found = by_text_.find(text_); found != by_text_.end()) { return found->second; }
    const auto handle = vm_.load(edit_ ? edit_(text) : text_);
    auto& made = by_text_[text_];
    made = {sha1_of(text), handle, by_text_.size() - 1};
    by_sha_[made.sha] = &made;
    return made;
}

const known_script* script_library::find(std::string_view sha) const {
    const auto found = by_sha_.find(std::string{sha});
    return found == by_sha_.end() ? nullptr : found->second;
}

} // namespace holdfast::sim
