#include "history/violation_text.hpp"

#include <array>
#include <cstdio>

namespace holdfast::history {

std::string describe_process(const event& e) {
    return (e.process.empty() ? std::string{"process"} : e.process) + " (pid " +
           std::to_string(e.pid) + ", thread " + std::to_string(e.thread) + ")";
}

std::string milliseconds(std::chrono::nanoseconds length) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.6g ms",
                  std::chrono::duration<double, std::milli>{length}.count());
    return text.data();
}

violation make_violation(rule r, const std::string& name, std::string sentence,
                         std::initializer_list<const event*> events) {
    violation v{.broken_rule = r,
                .promise = promise_of(r),
                .name = name,
                .sentence = std::move(sentence),
                .events = {}};
    for (const auto* e : events) {
        if (e != nullptr) { v.events.push_back(*e); }
    }
    return v;
}

std::string_view to_string(rule r) noexcept {
    switch (r) {
    case rule::two_exclusive: return "two exclusive leases at once";
    case rule::exclusive_with_shared: return "exclusive and shared leases at once";
    case rule::too_many_permits: return "too many permits";
    case rule::mixed_use: return "mixed use of a name";
    case rule::token_order: return "token order";
    case rule::token_twice: return "token given twice";
    case rule::wrong_epoch: return "wrong epoch";
    case rule::stale_write: return "stale write accepted";
    case rule::lost_update: return "lost update";
    case rule::starved: return "starved";
    case rule::overtaken: return "overtaken";
    case rule::late_loss: return "lost() too late";
    case rule::unreported_loss: return "no lost()";
    case rule::revived: return "revived";
    case rule::incoherent: return "incoherent recording";
    }
    return "?";
}

int promise_of(rule r) noexcept {
    switch (r) {
    case rule::two_exclusive:
    case rule::exclusive_with_shared:
    case rule::too_many_permits:
    case rule::mixed_use:
    case rule::lost_update: return 1;
    case rule::late_loss:
    case rule::unreported_loss:
    case rule::revived: return 2;
    case rule::token_order:
    case rule::token_twice:
    case rule::wrong_epoch:
    case rule::stale_write: return 3;
    case rule::overtaken: return 6;
    case rule::starved: return 7;
    case rule::incoherent: return 0;
    }
    return 0;
}

} // namespace holdfast::history
