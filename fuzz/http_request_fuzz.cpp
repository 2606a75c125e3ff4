// Requests to the servers of metrics and of `holdfast web`.

#include "fuzz/check.hpp"
#include "holdfast/http/http_request.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using holdfast::fuzz::check;
    namespace http = holdfast::http;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    if (const auto request = http::parse_head(text)) {
        check(request->path.find('?') == std::string::npos, "a path has no query");
        check(request->path.size() + request->query.size() <= size, "nothing is added");
        for (const auto& header : request->headers) {
            check(!header.name.empty(), "every header has a name");
            check(request->count(header.name) > 0, "every header is found");
        }
        static_cast<void>(http::form_value(request->query, "token"));
    }
    if (const auto value = http::form_value(text, "name")) {
        check(http::form_value("name=" + http::percent_encode(*value), "name") == *value,
              "what was decoded can be encoded");
    }
    return 0;
}
