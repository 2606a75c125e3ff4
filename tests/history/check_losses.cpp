// P2: a holder is told in time that its lease has run out, and a loss is final.

#include "history/rules.hpp"

#include <algorithm>

namespace holdfast::history {
namespace {

/// By when lost() must have fired for a lease that ran out at n. A process that was stopped before
/// it could tell gets its time once it is continued.
stamp notice_due(const inquiry& about, const process_line& process, stamp n) {
    stamp due = later(n, about.options.loss_notice);
    for (const auto& stop : process.stops) {
        if (stop.from > due) { break; }
        due = std::max(due, later(stop.to, about.options.loss_notice_after_stop));
    }
    return due;
}

void check_final(const inquiry& about, const hold& h) {
    const stamp gone = h.loss == nullptr ? never : fired_at(*h.loss, std::get<lost>(h.loss->type));
    stamp until = h.given().valid_until;
    for (const auto* r : h.renewals) {
        // A renewal may be answered while the holder is letting go: that revives nothing.
        if (h.release != nullptr && r->at >= h.release->at) { break; }
        const stamp at = since(*r, std::get<renewed>(r->type));
        if (at >= until || at > gone) {
            about.report(rule::revived,
                         "The lease of " + inquiry::holder(h) + " was renewed " +
                             milliseconds(at - std::min(until, gone)) +
                             " after it was lost; a loss is final.",
                         {h.grant, h.loss, r});
            return;
        }
        until = std::get<renewed>(r->type).valid_until;
    }
}

void check_told(const inquiry& about, const hold& h) {
    stamp n = h.last_valid_until();
    stamp told = never;
    if (h.loss != nullptr) {
        const auto& l = std::get<lost>(h.loss->type);
        n = or_else(l.valid_until, n);
        told = fired_at(*h.loss, l);
    }
    if (h.release != nullptr) { told = std::min(told, h.release->at); }
    // A grant that comes after its own end can only be told from then on.
    const auto& process = about.all.process(h.grant->pid);
    const stamp due = notice_due(about, process, std::max(n, h.grant->at));
    if (told <= due || h.died <= due || about.all.end <= due) { return; }

    const std::string lease = "The lease of " + inquiry::holder(h) + " ran out " + about.when(n);
    const bool released_first = h.release != nullptr && told == h.release->at;
    if (told != never && !released_first) {
        about.report(rule::late_loss,
                     lease + ", but lost() fired only " + milliseconds(told - n) + " later.",
                     {h.grant, h.loss});
    } else {
        about.report(rule::untold_loss, lease + ", and its holder went on without being told.",
                     {h.grant, h.release});
    }
}

} // namespace

void check_losses(const inquiry& about) {
    for (const auto& h : about.line.holds) {
        check_final(about, h);
        check_told(about, h);
    }
}

} // namespace holdfast::history
