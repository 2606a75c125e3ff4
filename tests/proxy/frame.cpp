#include "proxy/frame.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <variant>

namespace holdfast::test {

std::string command_name(const redis_reply& request) {
    auto out = request.items().empty() ? std::string{} : request.items().front().string();
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return out;
}

std::optional<frame> frame::take(std::string& bytes) {
    std::string_view rest{bytes};
    auto content = redis_reply::take(rest);
    if (!content) { return std::nullopt; }
    const auto size = bytes.size() - rest.size();
    frame out{bytes.substr(0, size), *std::move(content)};
    bytes.erase(0, size);
    return out;
}

std::size_t answers_to(const redis_reply& request) {
    const auto channels = std::max<std::size_t>(request.items().size(), 2) - 1;
    return command_name(request).ends_with("SUBSCRIBE") ? channels : 1;
}

bool skips_answer(const redis_reply& request) {
    const auto& words = request.items();
    return command_name(request) == "CLIENT" && words.size() == 3 && words[1].string() == "REPLY" &&
           words[2].string() == "SKIP";
}

bool is_push(const frame& frame) {
    if (!frame.bytes.starts_with('>')) { return false; }
    const auto* const items = std::get_if<redis_reply::list>(&frame.content.value);
    return items == nullptr || items->empty() || !items->front().text().ends_with("subscribe");
}

} // namespace holdfast::test
