#include "holdfast/engine/redis/topology/topology.hpp"

#include "holdfast/engine/redis/topology/cluster.hpp"
#include "holdfast/engine/redis/topology/sentinel.hpp"
#include "holdfast/engine/redis/topology/standalone.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

void topology::pollables(std::vector<pollfd>& out) const {
    for (const node* const each : nodes()) { each->pollables(out); }
}

void topology::drive(std::span<const pollfd> ready, base::instant now) {
    for (node* const each : nodes()) { each->drive(ready, now); }
}

base::instant topology::due() const noexcept {
    auto next = base::never;
    for (const node* const each : nodes()) { next = std::min(next, each->due()); }
    return next;
}

void topology::reset() noexcept {
    for (node* const each : nodes()) { each->reset(); }
}

std::unique_ptr<topology> make_topology(const options& options,
                                        std::vector<std::string> inbox_channels,
                                        message_handler& inbox, node_listener& listener) {
    if (options.sentinel) {
        return std::make_unique<sentinel>(options, std::move(inbox_channels), inbox, listener);
    }
    if (options.cluster) {
        return std::make_unique<cluster>(options, std::move(inbox_channels), inbox, listener);
    }
    return std::make_unique<standalone>(options, std::move(inbox_channels), inbox, listener);
}

} // namespace holdfast::engine::redis
