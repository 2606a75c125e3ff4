#pragma once
// One connection through the proxy: a client's socket, the server's, and what is between them.

#include "holdfast/base/fd.hpp"
#include "proxy/faults.hpp"
#include "proxy/lane.hpp"
#include "proxy/network.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

namespace holdfast::test {

struct proxy_counts {
    std::uint64_t connections = 0; ///< ever accepted
    std::uint64_t open = 0;        ///< not yet ended for the client
    std::uint64_t requests = 0;    ///< that came, also those that are held
    std::uint64_t answers = 0;     ///< that the server gave, also those that were dropped
    std::uint64_t pushes = 0;      ///< that the server sent by itself, also those that were dropped
    std::uint64_t dropped = 0;     ///< answers that were swallowed
    std::uint64_t dropped_pushes = 0;
    std::uint64_t held = 0;     ///< requests, answers and pushes that wait for release()
    std::uint64_t delayed = 0;  ///< connections that late_delivery has delayed
    std::uint64_t repeated = 0; ///< requests that it has repeated
    std::uint64_t bytes_to_server = 0;
    std::uint64_t bytes_to_client = 0;

    proxy_counts& operator+=(const proxy_counts& other);
};

/// Requests, answers and pushes are told apart as long as both sides speak RESP3, or RESP2 without
/// SUBSCRIBE; bytes of any other protocol, such as TLS, go through as they come.
///
///  open     bytes pass, each request, answer and push as its op_status says
///           the client closes: what is on the way, also what is held, still reaches the server,
///           which then sees the end | the server closes: the same for the client
///  silent   bytes are read and forgotten; no end is passed on
///  late     (see late_delivery) the client hears no more, or is cut off; from some request on its
///           bytes reach the server later, and then its end does
///  ended    may be removed
///
/// Thread safety: none.
class connection {
public:
    using clock = lane::clock;

    /// Without a server it is silent from the start.
    connection(base::fd client, base::fd server);
    /// Has no client, and carries one copy of a request.
    connection(base::fd server, network::copy late);

    [[nodiscard]] bool ended() const;
    [[nodiscard]] proxy_counts counts() const;

    /// Moves whatever can be moved now.
    void step(network& network);

    /// Ends it for the client. Held requests survive and still go to the server when released.
    void end(ending ending);
    void inject(std::string bytes);
    void release();

    void add_to(std::vector<pollfd>& waiting) const;
    [[nodiscard]] clock::time_point due() const;

private:
    void take_from_client(network& network);
    void take_from_server(network& network);
    void take_requests(network& net, clock::time_point due);
    void become_late(late_delivery& chance);
    void take_answers(fault_list& pushes, clock::time_point due);
    void pass_answer(std::string bytes, const op_status& as, clock::time_point due);
    void pass_push(std::string bytes, const op_status& as, clock::time_point due);
    void flush();
    void pass_on_ends();

    base::fd client_;
    base::fd server_;
    lane to_server_;
    lane to_client_;
    std::string requests_;           ///< the beginning of one that is not all there
    std::string answers_;            ///< likewise
    std::deque<op_status> awaiting_; ///< of requests that are not yet answered
    std::deque<std::string> late_pushes_;
    std::optional<clock::time_point> late_until_; ///< nothing reaches the server before this
    bool skips_ = false;                          ///< the answer to the next request
    bool foreign_ = false;                        ///< not RESP
    bool trickles_ = false;
    bool silent_;
    bool client_ended_ = false; ///< sends no more
    bool server_ended_ = false;
    bool server_told_ = false; ///< that the client sends no more
    proxy_counts counts_;
};

} // namespace holdfast::test
