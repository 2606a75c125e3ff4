#include "proxy/faults.hpp"

namespace holdfast::test {

using namespace std::string_view_literals;

proxy_fault fault_list::take_match(std::string_view bytes) {
    for (auto& [fault, filter] : pending_) {
        if (filter.times == 0 || bytes.find(filter.with) == std::string_view::npos) { continue; }
        if (filter.times != for_good) { --filter.times; }
        return fault;
    }
    return {};
}

std::string garbage_for(std::string_view answer, garbage kind) {
    switch (kind) {
    case garbage::wrong_type: return "?what\r\n";
    case garbage::huge_string: return "$100000000000000\r\n";
    case garbage::huge_list: return "*2147483647\r\n";
    case garbage::no_number: return ":12x4\r\n";
    case garbage::noise: return std::string{"\x16\x03\x01\x00\xff\xfe HTTP/1.1 400\r\n"sv};
    case garbage::truncated: break;
    }
    return std::string{answer.substr(0, answer.size() / 2)};
}

} // namespace holdfast::test
