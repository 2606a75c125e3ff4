#include "history/rules.hpp"

namespace holdfast::history {

std::string check_context::holder(const hold& h) {
    return describe_process(*h.grant) + " with token " + std::to_string(h.token());
}

std::string check_context::when(stamp at) const { return milliseconds(at - all.begin) + " in"; }

std::vector<violation> check(const std::vector<event>& events, const check_options& options) {
    auto all = arrange(events);
    auto found = std::move(all.incoherent);
    for (const auto& [name, line] : all.names) {
        const check_context context{.all = all, .line = line, .options = options, .found = found};
        check_overlaps(context);
        check_tokens(context);
        check_writes(context);
        if (options.counter) { check_counter(context); }
        check_losses(context);
        check_waits(context);
        if (options.fifo) { check_order(context); }
    }
    return found;
}

} // namespace holdfast::history
