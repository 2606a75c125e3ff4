#include "redis/bench_options.hpp"

#include <stdexcept>
#include <string_view>

namespace holdfast::bench::redis {

bench_options parse_options(int argc, char** argv, more_options more) {
    bench_options out;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto value = [&]() -> std::string {
            if (++i >= argc) { throw std::invalid_argument{std::string{word} + " wants a value"}; }
            return argv[i];
        };
        if (word == "--quick") {
            out.quick = true;
        } else if (word == "--only") {
            out.only = value();
        } else if (word == "--json") {
            out.json = value();
        } else if (word == "--plots" && more.plots) {
            out.plots = value();
        } else {
            throw std::invalid_argument{"no option '" + std::string{word} +
                                        "'; there are --quick, --only REGEX, --json FILE" +
                                        (more.plots ? ", --plots FOLDER" : "")};
        }
    }
    return out;
}

} // namespace holdfast::bench::redis
