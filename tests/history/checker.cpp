#include "history/rules.hpp"

namespace holdfast::history {

std::string inquiry::holder(const hold& h) {
    return who(*h.grant) + " with token " + std::to_string(h.token());
}

std::string inquiry::when(stamp at) const { return milliseconds(at - all.begin) + " in"; }

std::vector<violation> check(const std::vector<event>& events, const check_options& options) {
    auto all = arrange(events);
    auto found = std::move(all.incoherent);
    for (const auto& [name, line] : all.names) {
        const inquiry about{.all = all, .line = line, .options = options, .found = found};
        check_overlaps(about);
        check_tokens(about);
        check_writes(about);
        if (options.counter) { check_counter(about); }
        check_losses(about);
        check_waits(about);
        if (options.fifo) { check_order(about); }
    }
    return found;
}

} // namespace holdfast::history
