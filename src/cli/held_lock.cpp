#include "cli/held_lock.hpp"

#include "cli/lock_operations.hpp"
#include "cli/token_text.hpp"

#include <holdfast/error.hpp>

#include <algorithm>

namespace holdfast::cli {

namespace {

/// `text` of each name, a line each.
template <class Text>
std::string lines(const lease_set& held, const Text& text) {
    std::string out;
    for (const auto& name : held.names()) { out += (out.empty() ? "" : "\n") + text(name); }
    return out;
}

} // namespace

bool held_lock::valid() const noexcept { return remaining() > std::chrono::milliseconds{0}; }

std::chrono::milliseconds held_lock::remaining() const noexcept {
    const auto* const one_name = std::get_if<lease>(&held_);
    return one_name != nullptr ? one_name->remaining()
                               : std::get_if<lease_set>(&held_)->remaining();
}

std::stop_token held_lock::lost() const {
    return std::visit([](const auto& held) { return held.lost(); }, held_);
}

std::optional<loss> held_lock::why_lost() const noexcept {
    const auto* const one_name = std::get_if<lease>(&held_);
    return one_name != nullptr ? one_name->why_lost() : std::get_if<lease_set>(&held_)->why_lost();
}

void held_lock::extend(std::chrono::milliseconds duration, std::error_code& failure) {
    std::visit([&](auto& held) { held.extend(duration, failure); }, held_);
}

std::string held_lock::names() const {
    if (const auto* const one_name = std::get_if<lease>(&held_)) { return one_name->name(); }
    return lines(std::get<lease_set>(held_), [](const std::string& name) { return name; });
}

std::string held_lock::tokens() const {
    if (const auto* const one_name = std::get_if<lease>(&held_)) { return token_text(*one_name); }
    const auto& set = std::get<lease_set>(held_);
    try {
        return lines(set, [&](const auto& name) { return std::to_string(set.token(name)); });
    } catch (const error& error) {
        if (error.code() != errc::unsupported) { throw; }
        return {};
    }
}

std::string held_lock::log_tokens() const {
    auto out = tokens();
    std::replace(out.begin(), out.end(), '\n', ',');
    return out;
}

std::string held_lock::owners() const {
    if (const auto* const one_name = std::get_if<lease>(&held_)) { return one_name->owner(); }
    const auto& set = std::get<lease_set>(held_);
    return lines(set, [&](const auto& name) { return set.owner(name); });
}

bool held_lock::release(const std::vector<std::string>& names) {
    const auto end = base::boot_clock::now() + remaining();
    if (auto* const one_name = std::get_if<lease>(&held_)) { return release_lock(*one_name); }
    try {
        return std::get<lease_set>(held_).release() == release_answer::released;
    } catch (const error& problem) { print_release_failure(names, problem, end); }
    return false;
}

} // namespace holdfast::cli
