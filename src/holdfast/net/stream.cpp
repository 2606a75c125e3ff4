#include "holdfast/net/stream.hpp"

#include "holdfast/net/plain_stream.hpp"

#if HOLDFAST_WITH_TLS
#    include "holdfast/net/tls_stream.hpp"
#endif

namespace holdfast::net {

std::unique_ptr<stream> stream::start(const endpoint& endpoint) {
    if (!endpoint.tls) { return std::make_unique<plain_stream>(endpoint); }
#if HOLDFAST_WITH_TLS
    return std::make_unique<tls_stream>(endpoint);
#else
    return std::make_unique<plain_stream>("this build of Holdfast has no TLS");
#endif
}

} // namespace holdfast::net
