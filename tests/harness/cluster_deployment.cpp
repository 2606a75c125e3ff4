#include "harness/deployment.hpp"
#include "harness/proxied_nodes.hpp"
#include "harness/server_faults.hpp"
#include "support/cluster_group.hpp"

#include <array>
#include <stdexcept>

namespace holdfast::test {

namespace {

/// Three masters with a replica each, and replicas=1. Faults hit the master of one of the names.
class cluster_deployment final : public deployment {
public:
    [[nodiscard]] std::string url() const override { return group_.url(query + nodes_.map()); }
    [[nodiscard]] std::string other_url() const override { return url() + "&prefix=other:"; }
    [[nodiscard]] std::string admin_url() const override { return group_.url(query); }
    [[nodiscard]] bool can_lose_data() const override { return true; }
    [[nodiscard]] std::vector<fault_kind> kinds() const override {
        auto out = server_fault_kinds();
        out.insert(out.end(), {fault_kind::failover, fault_kind::slot_move});
        return out;
    }
    [[nodiscard]] fault_effects inject(fault_kind kind, std::minstd_rand& random) override {
        constexpr std::array names{"stock", "catalog", "slots"};
        const auto slot = group_.slot_of(std::string{"hf:{"} + names[random() % 3] + '}');
        auto& master = group_.master_of_slot(slot);
        if (is_network_fault(kind)) {
            disturb(nodes_.before(master), kind, random);
            return {};
        }
        fault_effects out;
        switch (kind) {
        case fault_kind::server_kill:
            master.kill();
            expect(group_.moves_from(master, slot), "no failover after a kill");
            master.restart();
            out = lost;
            break;
        case fault_kind::server_stop: // half of them for long enough that the replica takes over
            harm(master, kind, random() % 2 == 0 ? some_time(random) : node_timeout);
            out = lost;
            break;
        case fault_kind::failover: group_.fail_over(master); break;
        case fault_kind::slot_move: move_there_and_back(slot, master, random); break;
        default:
            harm(master, kind, some_time(random), clock_offset);
            if (kind != fault_kind::store_full) { out = lost; }
        }
        expect(group_.is_whole(), "the cluster is not whole again");
        return out;
    }
    [[nodiscard]] milliseconds settle(fault_kind kind) const override {
        if (is_network_fault(kind) || kind == fault_kind::store_full) { return 200ms; }
        return kind == fault_kind::clock_step ? clock_step + lease : 2 * lease;
    }
    [[nodiscard]] std::string left_behind() override {
        std::string out;
        for (auto& node : group_.nodes) {
            if (is_master(node)) { out += undocumented_keys(node); }
        }
        return out;
    }

private:
    static constexpr const char* query = "?timeout=400&connect_timeout=400&replicas=1";
    /// Nobody is replaced because this machine is busy: that could lose data.
    static constexpr milliseconds node_timeout = 3s;
    static constexpr std::chrono::seconds clock_offset = 3s; ///< see cluster_group_options
    /// A cluster has no grace period: what the replica had not received is gone.
    static constexpr fault_effects lost{.keeps_proviso = false, .loses_data = true};

    static void expect(bool holds, const char* otherwise) {
        if (!holds) { throw std::runtime_error{otherwise}; }
    }
    void move_there_and_back(unsigned slot, redis_server& from, std::minstd_rand& random) {
        auto& to = group_.other_master(from);
        for (auto [source, target] : {std::pair{&from, &to}, std::pair{&to, &from}}) {
            group_.begin_move(slot, *source, *target);
            std::this_thread::sleep_for(some_time(random) / 10);
            group_.move_keys(slot, *source, *target);
            std::this_thread::sleep_for(some_time(random) / 10);
            group_.finish_move(slot, *target);
        }
    }

    cluster_group group_{{.node_timeout = node_timeout}};
    proxied_nodes nodes_{group_.nodes};
};

} // namespace

std::unique_ptr<deployment> make_cluster_deployment() {
    return std::make_unique<cluster_deployment>();
}

} // namespace holdfast::test
