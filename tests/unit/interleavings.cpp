#include "unit/interleavings.hpp"

#include <cassert>

namespace holdfast::test {

using value = interleavings::value;
using memory = interleavings::memory;
using outcome = interleavings::outcome;

namespace {

std::string of_word(const char* does, std::size_t word) {
    return std::string{does} + " word " + std::to_string(word);
}

} // namespace

value interleavings::thread::perform(step next) {
    if (at_ == past_.size()) { throw next; } // NOLINT: not an error; `next_step` catches it
    return past_[at_++];
}

value interleavings::thread::load(word from) {
    return perform({of_word("loads", from), [=](const memory& in) {
                        return std::vector<outcome>{{in, in.words.at(from)}};
                    }});
}

value interleavings::thread::exchange(word in, value with) {
    return perform({of_word("exchanges", in), [=](memory at) {
                        const auto seen = std::exchange(at.words.at(in), with);
                        return std::vector<outcome>{{at, seen}};
                    }});
}

void interleavings::thread::add(word to, value more) {
    perform({of_word("adds to", to), [=](memory at) {
                 at.words.at(to) += more;
                 return std::vector<outcome>{{at}};
             }});
}

void interleavings::thread::set_bits(word in, value bits) {
    perform({of_word("sets bits of", in), [=](memory at) {
                 at.words.at(in) |= bits;
                 return std::vector<outcome>{{at}};
             }});
}

void interleavings::thread::futex_wait(word on, value expected, value bits) {
    perform({of_word("waits on", on),
             [=, me = number_](memory at) {
                 if (at.words.at(on) == expected) { at.asleep.at(me) = bits; }
                 return std::vector<outcome>{{at}};
             },
             true});
}

void interleavings::thread::futex_wake(value bits, int at_most) {
    perform({"wakes bits " + std::to_string(bits), [=](const memory& in) {
                 std::vector<std::size_t> match;
                 for (std::size_t number = 0; number < max_count; ++number) {
                     if ((in.asleep.at(number) & bits) != 0) { match.push_back(number); }
                 }
                 std::vector<outcome> out;
                 if (match.size() <= static_cast<std::size_t>(at_most)) {
                     auto& all = out.emplace_back(outcome{in});
                     for (const auto number : match) { all.after.asleep.at(number) = 0; }
                     return out;
                 }
                 assert(at_most == 1);
                 for (const auto number : match) {
                     out.emplace_back(outcome{in}).after.asleep.at(number) = 0;
                 }
                 return out;
             }});
}

void interleavings::add(body run, bool may_stay_asleep) {
    assert(threads_.size() < max_count);
    threads_.push_back({std::move(run), may_stay_asleep});
}

const std::optional<interleavings::step>& interleavings::next_step(const state& in,
                                                                   std::size_t number) {
    auto& entry = threads_[number];
    const auto [found, is_new] = entry.next.try_emplace(in.past[number]);
    if (is_new) {
        thread replayed{number, in.past[number]};
        try {
            entry.run(replayed);
        } catch (const step& next) { found->second = next; }
    }
    return found->second;
}

std::string interleavings::key(const state& at) {
    std::string out;
    for (const auto word : at.shared.words) { out += static_cast<char>(word); }
    for (const auto bits : at.shared.asleep) { out += static_cast<char>(bits); }
    for (const auto& past : at.past) {
        out += static_cast<char>(past.size());
        for (const auto seen : past) { out += static_cast<char>(seen); }
    }
    return out;
}

std::vector<std::string> interleavings::find_stuck() {
    visited_.clear();
    path_.clear();
    state begin;
    begin.past.resize(threads_.size());
    static_cast<void>(explore(begin));
    return path_;
}

/// Returns true if `path_` leads to a thread that sleeps forever.
bool interleavings::explore(const state& from) {
    if (!visited_.insert(key(from)).second) { return false; }
    bool any_can_run = false;
    bool stuck = false;
    for (std::size_t number = 0; number < threads_.size(); ++number) {
        if (from.shared.asleep.at(number) != 0) {
            stuck = stuck || !threads_[number].may_stay_asleep;
            continue;
        }
        const auto& next = next_step(from, number);
        if (!next) { continue; }
        any_can_run = true;
        for (const auto& result : next->run(from.shared)) {
            state after{result.after, from.past};
            if (next->forgets) {
                after.past[number].clear();
            } else {
                after.past[number].push_back(result.seen);
            }
            path_.push_back("thread " + std::to_string(number) + ' ' + next->name);
            if (explore(after)) { return true; }
            path_.pop_back();
        }
    }
    return stuck && !any_can_run;
}

} // namespace holdfast::test
