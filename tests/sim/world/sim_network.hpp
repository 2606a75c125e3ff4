#pragma once
// The connections between simulated clients and nodes.

#include "holdfast/base/random.hpp"
#include "holdfast/net/stream.hpp"
#include "sim/world/event_queue.hpp"
#include "sim/world/sim_time.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sim {

using link_id = std::uint32_t;

/// One connection, with what is on its way in both directions. Messages of one direction arrive in
/// their order.
struct link {
    enum class message_kind : std::uint8_t { open, data, close };
    struct message {
        message_kind kind{};
        sim_time due{};
        std::string bytes{};
    };

    unsigned client = 0;
    unsigned node = 0;
    std::deque<message> to_node{};
    std::deque<message> to_client{};
    sim_time last_to_node{};
    sim_time last_to_client{};
    base::jitter random{0};

    // As the client sees it.
    net::stream_state state = net::stream_state::opening;
    std::string failure{};
    std::string inbox{};      ///< arrived, and not read yet
    bool abandoned = false;   ///< the client has closed it
    bool cut = false;         ///< nothing that the node sends arrives any more
    bool has_session = false; ///< at the node
    sim_time stalled_until{}; ///< nothing arrives before
};

/// The state of the way between a client and a node.
struct route {
    sim_time held_until{}; ///< a partition: nothing arrives before
    sim_time slow_until{};
    sim_time extra_delay{}; ///< at most, while it is slow
    unsigned connections = 0;
    std::uint32_t armed_fault = 0; ///< happens when the client next sends `trigger`
    std::string_view trigger{};    ///< empty: none is armed
    std::uint32_t armed_part = 1;  ///< `detail` of the event
};

/// What a network needs of its nodes and clients.
class network_host {
public:
    network_host() = default;
    network_host(const network_host&) = delete;
    network_host& operator=(const network_host&) = delete;

    virtual void on_session_opened(link_id link) = 0;
    virtual void on_session_closed(link_id link) = 0;
    virtual void on_request(link_id link, std::string_view bytes) = 0;
    /// Something changed for the client: it must look at its streams.
    virtual void on_client_ready(unsigned client) = 0;
    /// The node processes nothing before that time; `never_again`: it is down.
    [[nodiscard]] virtual sim_time node_ready_at(unsigned node) const = 0;

protected:
    ~network_host() = default;
};

struct link_conditions {
    std::uint64_t seed = 0;
    sim_time latency{};   ///< at least
    sim_time variation{}; ///< at most in addition
};

/// Delays, holds back and loses messages. A message is only lost together with its connection; what
/// is on its way to the node then may still arrive, much later.
///
/// Thread safety: none.
class sim_network {
public:
    sim_network(unsigned clients, unsigned nodes, const link_conditions& conditions,
                const sim_time& now, event_queue& events, network_host& host);

    [[nodiscard]] std::unique_ptr<net::stream> connect(unsigned client, unsigned node);
    void send_to_client(link_id link, std::string_view bytes);
    /// Deliver what is due.
    void arrive_at_node(link_id id);
    void arrive_at_client(link_id id);

    [[nodiscard]] const link& at(link_id id) const { return links_[id]; }
    [[nodiscard]] link& at(link_id id) { return links_[id]; }
    [[nodiscard]] route& way(unsigned client, unsigned node) {
        return routes_[client * nodes_ + node];
    }

    // Of a client's stream.
    void send_to_node(link_id id, std::string_view bytes);
    void close(link_id id);

    // Faults.
    /// Ends all connections of this client to the node, as the client sees it. What it has sent
    /// arrives after `delay`; `never_again`: not at all.
    void break_links(unsigned client, unsigned node, sim_time delay);
    /// Nothing on the present connections arrives before.
    void stall_links(unsigned client, unsigned node, sim_time until);
    /// The node has crashed: its connections end on both sides.
    void reset_node(unsigned node);
    /// The client has crashed. `silently`: the node does not learn of it.
    void drop_client(unsigned client, bool silently);
    void heal();

private:
    [[nodiscard]] sim_time delay_of(link& link);
    void post_to_node(link_id id, link::message_kind kind, std::string_view bytes);
    void post_to_client(link_id id, link::message_kind kind, std::string_view bytes);
    void fail(link& link, const char* reason);
    void deliver_to_node(link_id id, const link::message& message);

    unsigned nodes_;
    link_conditions conditions_;
    const sim_time& now_;
    event_queue& events_;
    network_host& host_;
    std::deque<link> links_;
    std::vector<route> routes_;
};

} // namespace holdfast::sim
