#include "harness/verdict.hpp"

#include <algorithm>
#include <set>

namespace holdfast::test {

namespace {

using history::rule;

bool is_overlap(rule broken) {
    return broken == rule::two_exclusive || broken == rule::exclusive_with_shared ||
           broken == rule::too_many_permits;
}

/// Whether data was lost between the writer's grant and the reader's: then the engine does not know
/// the last writer's token, and holders that make their holds again bring older ones.
bool is_forgotten_epoch(const history::violation& found,
                        const std::vector<injected_fault>& faults) {
    if (found.broken_rule != rule::wrong_epoch || found.events.empty()) { return false; }
    const auto [first, last] = std::ranges::minmax(found.events, {}, &history::event::at);
    return std::ranges::any_of(
        faults, [from = first.at, to = last.at](const injected_fault& fault) {
            const bool forgets = fault.effects.loses_data || !fault.effects.keeps_proviso;
            return forgets && fault.from <= to && from <= fault.to;
        });
}

bool is_excused(const history::violation& found, const std::vector<injected_fault>& faults) {
    if (is_forgotten_epoch(found, faults)) { return true; }
    if (!is_overlap(found.broken_rule)) { return false; }
    history::stamp begun{};
    for (const auto& event : found.events) { begun = std::max(begun, event.at); }
    return std::ranges::any_of(faults, [&](const injected_fault& fault) {
        return !fault.effects.keeps_proviso && fault.from <= begun && begun <= fault.to;
    });
}

} // namespace

verdict judge(const std::vector<history::event>& events, const std::vector<injected_fault>& faults,
              const judge_options& options) {
    verdict out;
    for (auto& found : history::check(events, options.check)) {
        if (found.broken_rule == rule::wrong_epoch && !options.reader_tokens) { continue; }
        if (is_excused(found, faults)) {
            ++out.excused;
        } else {
            out.violations.push_back(std::move(found));
        }
    }
    return out;
}

std::vector<std::string> without_grant_since(const std::vector<history::event>& events,
                                             const std::vector<std::string>& clients,
                                             history::stamp since) {
    std::set<std::string> waiting{clients.begin(), clients.end()};
    for (const auto& event : events) {
        if (event.at >= since && std::holds_alternative<history::granted>(event.type)) {
            waiting.erase(event.process);
        }
    }
    return {waiting.begin(), waiting.end()};
}

std::chrono::nanoseconds longest_gap(const std::vector<history::event>& events) {
    std::vector<history::stamp> grants;
    for (const auto& event : events) {
        if (std::holds_alternative<history::granted>(event.type)) { grants.push_back(event.at); }
    }
    std::ranges::sort(grants);
    std::chrono::nanoseconds longest{0};
    for (std::size_t at = 1; at < grants.size(); ++at) {
        longest = std::max(longest, grants[at] - grants[at - 1]);
    }
    return longest;
}

} // namespace holdfast::test
