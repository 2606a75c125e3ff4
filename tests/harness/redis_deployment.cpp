#include "harness/deployment.hpp"
#include "harness/server_faults.hpp"

#include <deque>

namespace holdfast::test {

namespace {

/// One server with max_lease, or a quorum; the clients reach each server by a proxy of its own.
class redis_deployment final : public deployment {
public:
    explicit redis_deployment(unsigned count) {
        for (unsigned at = 0; at < count; ++at) {
            servers_.emplace_back(redis_server_options{.adjustable_clock = true});
            proxies_.emplace_back(servers_.back().port());
        }
    }

    [[nodiscard]] std::string url() const override { return url_of(proxies_, ""); }
    [[nodiscard]] std::string other_url() const override {
        return url_of(proxies_, "&prefix=other:");
    }
    [[nodiscard]] std::string admin_url() const override { return url_of(servers_, ""); }
    [[nodiscard]] bool has_semaphores() const override { return !is_quorum(); }
    [[nodiscard]] bool has_reader_tokens() const override { return !is_quorum(); }
    [[nodiscard]] bool can_lose_data() const override { return true; }
    [[nodiscard]] std::vector<fault_kind> kinds() const override { return server_fault_kinds(); }
    /// Lost data keeps P1b: max_lease, and the delay of a quorum's nodes, are there for that.
    [[nodiscard]] fault_effects inject(fault_kind kind, std::minstd_rand& random) override {
        const auto at = random() % servers_.size();
        if (is_network_fault(kind)) {
            disturb(proxies_[at], kind, random);
            return {};
        }
        harm(servers_[at], kind, some_time(random));
        return {.keeps_proviso = kind != fault_kind::clock_step,
                .loses_data = kind == fault_kind::server_kill || kind == fault_kind::data_loss};
    }
    [[nodiscard]] milliseconds settle(fault_kind kind) const override {
        if (kind == fault_kind::server_kill || kind == fault_kind::data_loss) { return warm_up(); }
        // Tokens continue from the highest: nothing may be lost until the clock has passed them.
        return kind == fault_kind::clock_step ? clock_step + lease : 200ms;
    }
    /// The grace period of a server, or the time in which a new node does not vote.
    [[nodiscard]] milliseconds warm_up() const override { return is_quorum() ? 4500ms : 3500ms; }
    [[nodiscard]] std::string left_behind() override {
        std::string out;
        for (auto& server : servers_) { out += undocumented_keys(server); }
        return out;
    }

private:
    [[nodiscard]] bool is_quorum() const { return servers_.size() > 1; }

    template <class Nodes>
    [[nodiscard]] std::string url_of(const Nodes& nodes, const std::string& more) const {
        std::string hosts;
        for (const auto& node : nodes) {
            hosts += (hosts.empty() ? "" : ",") + ("127.0.0.1:" + std::to_string(node.port()));
        }
        return (is_quorum() ? "redlock://" : "redis://") + hosts +
               "?timeout=400&connect_timeout=400&max_lease=2s" + more;
    }

    std::deque<redis_server> servers_;
    std::deque<proxy> proxies_;
};

} // namespace

std::unique_ptr<deployment> make_redis_deployment() {
    return std::make_unique<redis_deployment>(1);
}

std::unique_ptr<deployment> make_redlock_deployment() {
    return std::make_unique<redis_deployment>(5);
}

} // namespace holdfast::test
