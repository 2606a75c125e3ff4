#pragma once
// Records the commands that clients send to a server, with MONITOR.

#include "support/redis_server.hpp"

#include <string>
#include <vector>

namespace holdfast::test {

/// Thread safety: none.
class monitor {
public:
    /// Records the commands from now on.
    explicit monitor(redis_server& server) : server_{server}, connection_{server.unix_path()} {
        (void)connection_.ask({"MONITOR"});
    }

    /// The commands of clients since the last call, e.g. `"SET" "stock" "x"`; without those of
    /// scripts and of the test itself.
    [[nodiscard]] std::vector<std::string> commands() {
        std::vector<std::string> out;
        (void)server_.command({"ECHO", "that is all"}); // marks the end
        while (auto line = connection_.read()) {
            const auto& text = line->string();
            if (text.find("\"ECHO\" \"that is all\"") != std::string::npos) { break; }
            const auto from = text.find('[');
            const auto begin = text.find("] ");
            const bool by_script = text.substr(from, begin - from).ends_with(" lua");
            const bool by_test = text.find("unix:", from) < begin;
            if (!by_script && !by_test) { out.push_back(text.substr(begin + 2)); }
        }
        return out;
    }

private:
    redis_server& server_;
    redis_raw connection_;
};

} // namespace holdfast::test
