#include "cli/lock_pattern.hpp"

#include <algorithm>
#include <cstddef>

namespace holdfast::cli {

lock_pattern::lock_pattern(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        step next{step::kind::byte, text[at]};
        if (text[at] == '*') { next.type = step::kind::any_bytes; }
        if (text[at] == '?') { next.type = step::kind::any_byte; }
        if (text[at] == '\\' && at + 1 < text.size()) { next.byte = text[++at]; }
        is_name_ = is_name_ && next.type == step::kind::byte;
        if (is_name_) { prefix_ += next.byte; }
        steps_.push_back(next);
    }
}

/// Returns to the last `*` when a letter differs, so the time is at most the product of both
/// lengths.
bool lock_pattern::matches(std::string_view name) const noexcept {
    constexpr auto none = static_cast<std::size_t>(-1);
    std::size_t at = 0;
    std::size_t step_at = 0;
    std::size_t star = none; // the last `*`
    std::size_t star_name = 0;
    while (at < name.size()) {
        const bool left = step_at < steps_.size();
        if (left && steps_[step_at].type == step::kind::any_bytes) {
            star = step_at++;
            star_name = at;
        } else if (left && (steps_[step_at].type == step::kind::any_byte ||
                            steps_[step_at].byte == name[at])) {
            ++step_at;
            ++at;
        } else if (star != none) {
            step_at = star + 1;
            at = ++star_name;
        } else {
            return false;
        }
    }
    while (step_at < steps_.size() && steps_[step_at].type == step::kind::any_bytes) { ++step_at; }
    return step_at == steps_.size();
}

std::string common_prefix(const std::vector<lock_pattern>& patterns) {
    if (patterns.empty()) { return {}; }
    std::string_view out = patterns.front().prefix();
    for (const auto& pattern : patterns) {
        const auto [end, ignored] =
            std::mismatch(out.begin(), out.end(), pattern.prefix().begin(), pattern.prefix().end());
        out = out.substr(0, static_cast<std::size_t>(end - out.begin()));
    }
    return std::string{out};
}

} // namespace holdfast::cli
