#pragma once
// One connection through the proxy: the client's socket, the server's, and the bytes between.

#include "holdfast/base/fd.hpp"
#include "proxy/byte_queue.hpp"
#include "proxy/faults.hpp"
#include "proxy/network_conditions.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

namespace holdfast::test {

struct proxy_counts {
    std::uint64_t connections = 0; ///< ever accepted
    std::uint64_t open = 0;        ///< not ended for the client yet
    std::uint64_t requests = 0;    ///< received, including held ones
    std::uint64_t answers = 0;     ///< of the server, including dropped ones
    std::uint64_t pushes = 0;      ///< of the server, including dropped ones
    std::uint64_t dropped = 0;     ///< dropped answers
    std::uint64_t dropped_pushes = 0;
    std::uint64_t held = 0;     ///< requests, answers and pushes that wait for release()
    std::uint64_t delayed = 0;  ///< connections that late_delivery has delayed
    std::uint64_t repeated = 0; ///< requests that late_delivery has repeated
    std::uint64_t bytes_to_server = 0;
    std::uint64_t bytes_to_client = 0;

    proxy_counts& operator+=(const proxy_counts& other);
};

/// Parses requests, answers and pushes of RESP3, and of RESP2 without SUBSCRIBE. Forwards the bytes
/// of any other protocol, such as TLS, unchanged.
///
///  open     forwards bytes, each request, answer and push according to its proxy_fault
///           client closes: bytes in flight and held ones still reach the server, then the end
///           server closes: the same for the client
///  silent   reads and drops all bytes; does not forward the end
///  late     (see late_delivery) the client receives nothing more, or is cut off; from some request
///           on its bytes reach the server later, and then its end
///  ended    may be removed
///
/// Thread safety: none.
class proxy_connection {
public:
    using clock = byte_queue::clock;

    /// Without a server it starts as silent.
    proxy_connection(base::fd client, base::fd server);
    /// Without a client: delivers a copy of a request.
    proxy_connection(base::fd server, network_conditions::copy late);

    [[nodiscard]] bool ended() const;
    [[nodiscard]] proxy_counts counts() const;

    /// Forwards what can be forwarded now.
    void step(network_conditions& network);

    /// Ends it for the client. Held requests still go to the server when released.
    void end(ending ending);
    void inject(std::string bytes);
    void release();

    void add_to(std::vector<pollfd>& waiting) const;
    [[nodiscard]] clock::time_point due() const;

private:
    void read_client(network_conditions& network);
    void read_server(network_conditions& network);
    void forward_requests(network_conditions& net, clock::time_point due);
    void make_late(late_delivery& chance);
    void forward_answers(fault_list& pushes, clock::time_point due);
    void forward_answer(std::string bytes, const proxy_fault& fault, clock::time_point due);
    void forward_push(std::string bytes, const proxy_fault& fault, clock::time_point due);
    void flush();
    void forward_ends();

    base::fd client_;
    base::fd server_;
    byte_queue to_server_;
    byte_queue to_client_;
    std::string requests_;             ///< the beginning of an incomplete request
    std::string answers_;              ///< likewise
    std::deque<proxy_fault> awaiting_; ///< the faults of unanswered requests
    std::deque<std::string> late_pushes_;
    std::optional<clock::time_point> late_until_; ///< no byte reaches the server before this
    bool skips_ = false;                          ///< the answer to the next request
    bool foreign_ = false;                        ///< not RESP
    bool trickles_ = false;
    bool silent_;
    bool client_ended_ = false; ///< it has closed its side
    bool server_ended_ = false;
    bool end_forwarded_ = false; ///< the client's, to the server
    proxy_counts counts_;
};

} // namespace holdfast::test
