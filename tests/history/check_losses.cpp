// P2: lost() fires in time after the lease has run out, and a loss is final.

#include "history/rules.hpp"

#include <algorithm>

namespace holdfast::history {
namespace {

/// By when lost() must have fired for a lease that ran out at n. A process that was stopped
/// before that has its time after it is continued.
stamp notice_due(const check_context& context, const process_line& process, stamp n) {
    stamp due = later(n, context.options.loss_notice);
    for (const auto& stop : process.stops) {
        if (stop.from > due) { break; }
        due = std::max(due, later(stop.to, context.options.loss_notice_after_stop));
    }
    return due;
}

void check_final(const check_context& context, const hold& h) {
    const stamp gone = h.loss == nullptr ? never : fired_at(*h.loss, std::get<lost>(h.loss->type));
    stamp until = h.given().valid_until;
    for (const auto* r : h.renewals) {
        // A renewal may be answered while the holder releases: that revives nothing.
        if (h.release != nullptr && r->at >= h.release->at) { break; }
        const stamp at = since(*r, std::get<renewed>(r->type));
        if (at >= until || at > gone) {
            context.report(rule::revived,
                           "The lease of " + check_context::holder(h) + " was renewed " +
                               milliseconds(at - std::min(until, gone)) +
                               " after it was lost; a loss is final.",
                           {h.grant, h.loss, r});
            return;
        }
        until = std::get<renewed>(r->type).valid_until;
    }
}

void check_notice(const check_context& context, const hold& h) {
    stamp n = h.last_valid_until();
    stamp noticed = never;
    if (h.loss != nullptr) {
        const auto& l = std::get<lost>(h.loss->type);
        n = or_else(l.valid_until, n);
        noticed = fired_at(*h.loss, l);
    }
    if (h.release != nullptr) { noticed = std::min(noticed, h.release->at); }
    // For a grant that is recorded after its own end, lost() can fire only after that.
    const auto& process = context.all.process(h.grant->pid);
    const stamp due = notice_due(context, process, std::max(n, h.grant->at));
    if (noticed <= due || h.died <= due || context.all.end <= due) { return; }

    const std::string lease =
        "The lease of " + check_context::holder(h) + " ran out " + context.when(n);
    const bool released_first = h.release != nullptr && noticed == h.release->at;
    if (noticed != never && !released_first) {
        context.report(rule::late_loss,
                       lease + ", but lost() fired only " + milliseconds(noticed - n) + " later.",
                       {h.grant, h.loss});
    } else {
        context.report(rule::unreported_loss, lease + ", and lost() did not fire.",
                       {h.grant, h.release});
    }
}

} // namespace

void check_losses(const check_context& context) {
    for (const auto& h : context.line.holds) {
        check_final(context, h);
        check_notice(context, h);
    }
}

} // namespace holdfast::history
