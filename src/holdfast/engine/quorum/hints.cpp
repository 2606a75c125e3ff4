#include "holdfast/engine/quorum/hints.hpp"

#include <algorithm>

namespace holdfast::engine::quorum {

void hints::add(const std::string& name, std::uint64_t number, bool split) {
    auto& entry = names_[name];
    entry.splits = split ? entry.splits + 1 : 0;
    if (names_of_.emplace(number, name).second) { entry.waiters.push_back(number); }
    entry.hinted.clear(); // older than the refusal
    entry.wake = base::never;
}

void hints::remove(std::uint64_t number, bool served) {
    const auto known = names_of_.find(number);
    if (known == names_of_.end()) { return; }
    const auto found = names_.find(known->second);
    names_of_.erase(known);
    auto& entry = found->second;
    std::erase(entry.waiters, number);
    if (served) { entry.splits = 0; }
    if (entry.waiters.empty()) { names_.erase(found); }
}

base::duration hints::delay(const waiting_name& name) noexcept {
    if (name.splits == 0) { return base::duration::zero(); }
    const auto doublings = std::min(name.splits - 1, 7U);
    const auto range =
        std::min<base::duration>(base::duration{shortest_delay} * (1U << doublings), longest_delay);
    return base::duration{
        static_cast<base::duration::rep>(jitter_.below(static_cast<std::uint64_t>(range.count())))};
}

void hints::on_hint(unsigned node, std::uint64_t number, base::instant now) {
    const auto known = names_of_.find(number);
    if (known == names_of_.end()) { return; }
    auto& entry = names_.find(known->second)->second;
    entry.hinted.add(node);
    const bool enough = entry.hinted.count() >= majority_of(nodes_);
    const auto wake = now + (enough ? base::duration::zero() : patience) + delay(entry);
    entry.wake = std::min(entry.wake, wake);
    due_ = std::min(due_, entry.wake);
}

std::vector<std::uint64_t> hints::take_due(base::instant now) {
    std::vector<std::uint64_t> out;
    for (auto& [name, entry] : names_) {
        if (entry.wake > now) { continue; }
        entry.wake = base::never;
        entry.hinted.clear();
        out.push_back(entry.waiters.front());
        // It asks again. Behind the others: if it fails, the next one is woken.
        entry.waiters.push_back(entry.waiters.front());
        entry.waiters.pop_front();
    }
    find_due();
    return out;
}

void hints::find_due() noexcept {
    due_ = base::never;
    for (const auto& [name, entry] : names_) { due_ = std::min(due_, entry.wake); }
}

} // namespace holdfast::engine::quorum
