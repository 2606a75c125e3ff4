#include "holdfast/net/endpoint.hpp"

namespace holdfast::net {

std::string endpoint::text() const {
    if (!unix_path.empty()) { return unix_path; }
    const bool colons = host.find(':') != std::string::npos;
    return (colons ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

} // namespace holdfast::net
