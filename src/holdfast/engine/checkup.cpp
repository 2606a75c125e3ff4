#include "holdfast/engine/checkup.hpp"

#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/quorum/checkup.hpp"
#if HOLDFAST_WITH_EMBEDDED
#    include "holdfast/engine/embedded/checkup.hpp"
#endif
#if HOLDFAST_WITH_REDIS
#    include "holdfast/engine/redis/checkup/checkup.hpp"
#endif

#include <iterator>

namespace holdfast::engine {

void checkup::append(checkup&& other) {
    findings.insert(findings.end(), std::make_move_iterator(other.findings.begin()),
                    std::make_move_iterator(other.findings.end()));
    clocks.insert(clocks.end(), std::make_move_iterator(other.clocks.begin()),
                  std::make_move_iterator(other.clocks.end()));
}

checkup check_up(const url& url, const checkup_terms& terms) {
    // Making an engine does no I/O, and rejects what no client can be made from.
    (void)make_engine(url, this_process());
    if (url.scheme == "redlock" || url.scheme == "redlocks" || url.scheme == "quorum") {
        return quorum::check_up(url, terms);
    }
#if HOLDFAST_WITH_EMBEDDED
    if (url.scheme == "embedded") { return embedded::check_up(url); }
#endif
#if HOLDFAST_WITH_REDIS
    if (url.scheme.starts_with("redis")) { return redis::check_up(url, terms); }
#endif
    checkup out;
    out.ok("reach", url.scheme + ":",
           "locks are in the memory of this process: they exclude its threads, and no other "
           "process");
    return out;
}

} // namespace holdfast::engine
