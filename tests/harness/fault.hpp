#pragma once
// The kinds of faults that the harness injects, and the record of one that it has injected.

#include "history/event.hpp"

#include <string>
#include <string_view>

namespace holdfast::test {

enum class fault_kind {
    client_kill,
    client_stop,
    server_kill, ///< and restart, empty
    server_stop, ///< on embedded: a transaction that does not end
    net_delay,
    net_cut,
    net_half_open,
    dropped_answers,
    late_duplicates,
    failover,   ///< planned, by sentinels or a cluster's replica
    slot_move,  ///< of a cluster, there and back
    data_loss,  ///< FLUSHALL; on embedded: the file is deleted
    clock_step, ///< of a server
    lock_break,
    store_full, ///< a full disk, or maxmemory
};

[[nodiscard]] constexpr std::string_view to_string(fault_kind kind) noexcept {
    switch (kind) {
    case fault_kind::client_kill: return "client kill -9";
    case fault_kind::client_stop: return "client SIGSTOP";
    case fault_kind::server_kill: return "server kill -9, restart";
    case fault_kind::server_stop: return "server SIGSTOP";
    case fault_kind::net_delay: return "delays";
    case fault_kind::net_cut: return "cut connections";
    case fault_kind::net_half_open: return "half-open connections";
    case fault_kind::dropped_answers: return "dropped answers";
    case fault_kind::late_duplicates: return "delayed duplicates";
    case fault_kind::failover: return "planned failover";
    case fault_kind::slot_move: return "slot moved there and back";
    case fault_kind::data_loss: return "lost data";
    case fault_kind::clock_step: return "server clock step";
    case fault_kind::lock_break: return "break by an operator";
    case fault_kind::store_full: return "full store";
    }
    return "?";
}

struct fault_effects {
    /// Whether P1b holds meanwhile (docs/safety.md). True for a break: the checker knows whose hold
    /// it ended.
    bool keeps_proviso = true;
    bool loses_data = false; ///< perhaps
};

struct injected_fault {
    fault_kind kind{};
    history::stamp from{};
    history::stamp to{}; ///< when its effects have ended
    fault_effects effects{};
};

} // namespace holdfast::test
