#pragma once
// The fixture of the operator's commands: ls, show, top, events, break, ping.

#include "cli/cli_fixture.hpp"

#include <cstdint>
#include <string>

namespace holdfast::test {

class operator_commands : public cli {
protected:
    /// Runs `holdfast WORD --url URL WORDS...`; an empty URL means the sandbox's store.
    command_result at(const std::string& url, const words& line);
    /// Starts it.
    running_command start_at(const std::string& url, const words& line);
    /// A run whose command has started and sleeps.
    running_command hold_at(const std::string& url, const std::string& name,
                            const words& options = {});

    /// Parses each line of the text as JSON and prints a Python expression of it, whose value is
    /// in `each`: one line per line.
    std::string of_json(const std::string& lines, const std::string& expression);
    /// The token of the only holder, by `show --json`; 0: there is none.
    std::uint64_t token_at(const std::string& url, const std::string& name);
};

} // namespace holdfast::test
