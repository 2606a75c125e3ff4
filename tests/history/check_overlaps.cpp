// P1: which leases were valid at the same instant. One sweep over the ends of all valid stretches.

#include "history/rules.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace holdfast::history {
namespace {

struct edge {
    stamp at{};
    bool begins{};
    std::size_t hold{};
    stamp to{};

    /// Ends come first: a lease may begin at the very instant at which another stops being valid.
    friend bool operator<(const edge& a, const edge& b) {
        return std::tie(a.at, a.begins, a.hold) < std::tie(b.at, b.begins, b.hold);
    }
};

std::vector<edge> edges_of(const name_line& line) {
    std::vector<edge> edges;
    for (std::size_t i = 0; i < line.holds.size(); ++i) {
        for (const auto& s : line.holds[i].valid) {
            edges.push_back({s.from, true, i, s.to});
            edges.push_back({s.to, false, i, s.to});
        }
    }
    std::ranges::sort(edges, std::less<>{});
    return edges;
}

class sweep {
public:
    explicit sweep(const check_context& context) : context_{context} {}

    void run() {
        for (const auto& e : edges_of(context_.line)) {
            const auto& h = context_.line.holds[e.hold];
            auto& same = valid_[static_cast<std::size_t>(h.request().mode)];
            if (e.begins) {
                begin(e, h);
                same.insert({e.to, e.hold});
            } else {
                same.erase({e.to, e.hold});
            }
            if (h.request().mode == mode::permits) {
                e.begins ? permits_ += h.request().n : permits_ -= h.request().n;
            }
        }
    }

private:
    /// The valid holds of a mode by the end of their stretch: the last one overlaps the longest.
    using valid_holds = std::set<std::pair<stamp, std::size_t>>;

    const valid_holds& valid(mode m) const { return valid_[static_cast<std::size_t>(m)]; }

    void begin(const edge& e, const hold& h) {
        switch (h.request().mode) {
        case mode::exclusive:
            clash(e, h, mode::exclusive, rule::two_exclusive);
            clash(e, h, mode::shared, rule::exclusive_with_shared);
            clash(e, h, mode::permits, rule::mixed_use);
            break;
        case mode::shared:
            clash(e, h, mode::exclusive, rule::exclusive_with_shared);
            clash(e, h, mode::permits, rule::mixed_use);
            break;
        case mode::permits:
            clash(e, h, mode::exclusive, rule::mixed_use);
            clash(e, h, mode::shared, rule::mixed_use);
            check_permits(e, h);
            break;
        }
    }

    void clash(const edge& e, const hold& h, mode with, rule r) {
        if (valid(with).empty()) { return; }
        const auto& [to, index] = *valid(with).rbegin();
        const auto& other = context_.line.holds[index];
        context_.report(r,
                        "The leases of " + check_context::holder(other) + " and of " +
                            check_context::holder(h) + " were both valid from " +
                            context_.when(e.at) + " for " +
                            milliseconds(std::min(to, e.to) - e.at) + ".",
                        {other.grant, h.grant});
    }

    void check_permits(const edge& e, const hold& h) {
        const auto& request = h.request();
        if (request.n == 0 || request.n > request.limit) {
            context_.report(rule::mixed_use,
                            check_context::holder(h) + " was granted " + std::to_string(request.n) +
                                " permits of a limit of " + std::to_string(request.limit) + ".",
                            {h.request_event, h.grant});
        }
        if (valid(mode::permits).empty()) { return; }
        const auto& other = context_.line.holds[valid(mode::permits).rbegin()->second];
        if (other.request().limit != request.limit) {
            context_.report(rule::mixed_use,
                            "The leases of " + check_context::holder(other) + " and of " +
                                check_context::holder(h) + ", valid together, have limits of " +
                                std::to_string(other.request().limit) + " and of " +
                                std::to_string(request.limit) + ".",
                            {other.request_event, h.request_event});
        } else if (permits_ + request.n > request.limit) {
            context_.report(rule::too_many_permits,
                            "From " + context_.when(e.at) + " valid leases held " +
                                std::to_string(permits_ + request.n) + " permits of " +
                                std::to_string(request.limit) +
                                "; the last one granted is that of " + check_context::holder(h) +
                                ".",
                            {other.grant, h.grant});
        }
    }

    const check_context& context_;
    valid_holds valid_[3]{};
    std::uint64_t permits_{0};
};

} // namespace

void check_overlaps(const check_context& context) { sweep{context}.run(); }

} // namespace holdfast::history
