#include "harness/deployment.hpp"
#include "harness/proxied_nodes.hpp"
#include "harness/server_faults.hpp"
#include "support/sentinel_group.hpp"

#include <stdexcept>

namespace holdfast::test {

namespace {

/// A master with two replicas and three sentinels; replicas=1 and max_lease, with which a failover
/// keeps P1b. Faults hit the master.
class sentinel_deployment final : public deployment {
public:
    [[nodiscard]] std::string url() const override { return group_.url(query + nodes_.map()); }
    [[nodiscard]] std::string other_url() const override { return url() + "&prefix=other:"; }
    [[nodiscard]] std::string admin_url() const override { return group_.url(query); }
    [[nodiscard]] bool can_lose_data() const override { return true; }
    [[nodiscard]] std::vector<fault_kind> kinds() const override {
        auto out = server_fault_kinds();
        out.push_back(fault_kind::failover);
        return out;
    }
    [[nodiscard]] fault_effects inject(fault_kind kind, std::minstd_rand& random) override {
        auto& master = group_.master();
        if (is_network_fault(kind)) {
            disturb(nodes_.before(master), kind, random);
            return {};
        }
        switch (kind) {
        case fault_kind::server_kill:
            master.kill();
            expect(group_.moves_from(master), "no failover after a kill");
            master.restart();
            make_replica(master);
            break;
        case fault_kind::failover:
            group_.begin_fail_over();
            expect(group_.moves_from(master), "no planned failover");
            std::this_thread::sleep_for(some_time(random)); // there are two masters
            make_replica(master);
            break;
        default: harm(master, kind, some_time(random));
        }
        // A master that was stopped for long is replaced, and becomes a replica seconds later.
        expect(group_.has_replicas(2), "the master has not got its replicas back");
        return {.keeps_proviso = kind != fault_kind::clock_step, .loses_data = true};
    }
    [[nodiscard]] milliseconds settle(fault_kind kind) const override {
        if (is_network_fault(kind) || kind == fault_kind::store_full) { return 200ms; }
        return kind == fault_kind::clock_step ? clock_step + lease : warm_up();
    }
    [[nodiscard]] milliseconds warm_up() const override { return 3500ms; } ///< the grace period
    [[nodiscard]] std::string left_behind() override { return undocumented_keys(group_.master()); }

private:
    static constexpr const char* query = "?timeout=400&connect_timeout=400&replicas=1&max_lease=2s";

    static void expect(bool holds, const char* otherwise) {
        if (!holds) { throw std::runtime_error{otherwise}; }
    }
    /// As the sentinels do by themselves, but only eight seconds later.
    void make_replica(redis_server& former) {
        former.command({"REPLICAOF", "127.0.0.1", std::to_string(group_.master().port())});
    }

    sentinel_group group_{{.down_after = 1s, .adjustable_clock = true}};
    proxied_nodes nodes_{group_.servers};
};

} // namespace

std::unique_ptr<deployment> make_sentinel_deployment() {
    return std::make_unique<sentinel_deployment>();
}

} // namespace holdfast::test
