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
                 for (std::size_t number = 0; number < most; ++number) {
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
    assert(threads_.size() < most);
    threads_.push_back({std::move(run), may_stay_asleep});
}

const std::optional<interleavings::step>& interleavings::next_step(const state& in,
                                                                   std::size_t number) {
    auto& of = threads_[number];
    const auto [found, is_new] = of.next.try_emplace(in.past[number]);
    if (is_new) {
        thread replayed{number, in.past[number]};
        try {
            of.run(replayed);
        } catch (const step& next) { found->second = next; }
    }
    return found->second;
}

std::string interleavings::key(const state& of) {
    std::string out;
    for (const auto one : of.shared.words) { out += static_cast<char>(one); }
    for (const auto one : of.shared.asleep) { out += static_cast<char>(one); }
    for (const auto& past : of.past) {
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

/// True: `path_` leads to a thread that nobody will wake.
bool interleavings::explore(const state& from) {
    if (!visited_.insert(key(from)).second) { return false; }
    bool somebody_goes_on = false;
    bool stuck = false;
    for (std::size_t number = 0; number < threads_.size(); ++number) {
        if (from.shared.asleep.at(number) != 0) {
            stuck = stuck || !threads_[number].may_stay_asleep;
            continue;
        }
        const auto& next = next_step(from, number);
        if (!next) { continue; }
        somebody_goes_on = true;
        for (const auto& one : next->run(from.shared)) {
            state after{one.after, from.past};
            if (next->forgets) {
                after.past[number].clear();
            } else {
                after.past[number].push_back(one.seen);
            }
            path_.push_back("thread " + std::to_string(number) + ' ' + next->name);
            if (explore(after)) { return true; }
            path_.pop_back();
        }
    }
    return stuck && !somebody_goes_on;
}

} // namespace holdfast::test
