#include "holdfast/net/endpoint.hpp"

namespace holdfast::net {

std::string endpoint::text() const {
    if (!unix_path.empty()) { return unix_path; }
    const bool is_ipv6 = host.find(':') != std::string::npos;
    return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

} // namespace holdfast::net
