#pragma once
// One run: nodes, clients and the network between them, faults, and the checks.

#include "sim/node/script_library.hpp"
#include "sim/world/event_queue.hpp"
#include "sim/world/promise_checks.hpp"
#include "sim/world/scenario.hpp"
#include "sim/world/sim_client.hpp"
#include "sim/world/sim_network.hpp"
#include "sim/world/sim_node.hpp"
#include "sim/world/sim_topology.hpp"
#include "sim/world/timeline.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::sim {

struct sim_result {
    std::string violation{}; ///< empty: all promises were kept
    sim_time at{};           ///< when it ended
    unsigned events = 0;
    unsigned leases = 0;
    unsigned losses = 0;
};

/// One thread, virtual time: the same scenario always goes the same way.
///
/// Thread safety: none.
class sim_world final : private network_host {
public:
    sim_world(const scenario& scenario, script_library& scripts, timeline& timeline);
    sim_world(const sim_world&) = delete;
    sim_world& operator=(const sim_world&) = delete;
    ~sim_world();

    [[nodiscard]] sim_result run();

private:
    void handle(const sim_event& event);
    void on_fault(const sim_event& event);
    void apply(const fault& fault);
    void stop_node(unsigned node, sim_time until);
    enum class kept_data : std::uint8_t { all, old, none };
    void crash_node(unsigned node, sim_time until, kept_data kept, unsigned age = 0);
    void start_node(unsigned node);
    void start_client(unsigned index);
    void crash_client(unsigned index, sim_time until, bool silently);
    void flush_node(unsigned node);
    void fail_over(const fault& fault);
    void delay_renewal(const fault& fault);
    void arm(const fault& fault, unsigned client, const engine::redis::script& trigger,
             std::uint32_t part);
    /// The node that a fault concerns: of a link, the one that the client believes to be the
    /// master.
    [[nodiscard]] unsigned node_of(const fault& fault) const;
    void handle_replication(const sim_event& event);
    /// A request of the client has been handled, or replicas have acknowledged one.
    void after_request(unsigned node, unsigned client);
    void resume_waits(unsigned node);
    void send_output(unsigned node);
    void break_on(unsigned node);
    void break_everywhere();
    void note_broken(bool on_all);
    void check();
    /// Ends all faults.
    void calm_down();
    [[nodiscard]] bool all_served() const;
    void check_progress();
    void check_end();
    [[nodiscard]] std::unique_ptr<seam::engine> make_engine(unsigned client,
                                                            const seam::client_identity& identity);

    void on_session_opened(link_id link) override;
    void on_session_closed(link_id link) override;
    void on_request(link_id link, std::string_view bytes) override;
    void on_client_ready(unsigned client) override;
    [[nodiscard]] sim_time node_ready_at(unsigned node) const override {
        return nodes_[node].ready_at;
    }

    const scenario& scenario_;
    timeline& timeline_;
    sim_time now_{0};
    event_queue events_;
    std::deque<sim_node> nodes_;
    promise_checks checks_;
    sim_network network_;
    std::optional<sim_topology> topology_;             ///< of deployment::failover
    std::vector<std::unique_ptr<sim_client>> clients_; ///< null: it has crashed
    std::vector<unsigned> lives_;                      ///< of the clients
    bool calm_ = false;
    sim_time calm_since_{0};
    sim_time ends_at_ = never_again; ///< some time after everybody was served
    unsigned repeats_ = 0;           ///< events at the same time
};

} // namespace holdfast::sim
