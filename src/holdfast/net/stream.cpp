#include "holdfast/net/stream.hpp"

#include "holdfast/net/plain_stream.hpp"

namespace holdfast::net {

std::unique_ptr<stream> stream::start(const endpoint& where) {
    if (!where.tls) { return std::make_unique<plain_stream>(where); }
    return std::make_unique<plain_stream>("this build of Holdfast has no TLS");
}

} // namespace holdfast::net
