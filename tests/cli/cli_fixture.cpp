#include "cli/cli_fixture.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>

namespace holdfast::test {

words holdfast_words(const words& rest) {
    words out{HOLDFAST_CLI};
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
}

words run_words(const words& rest) {
    words out{HOLDFAST_CLI, "run"};
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
}

command_result cli::shell(const std::string& line, const start_options& options) {
    auto with_command = options;
    with_command.variables.emplace_back("holdfast", HOLDFAST_CLI);
    return sandbox_.run({"/bin/bash", "-c", line}, with_command);
}

running_command cli::hold(const std::string& name, const words& options) {
    words all = options;
    all.insert(all.end(), {name, "--", "sh", "-c", "echo held; exec sleep 1000"});
    auto out = start(all);
    EXPECT_TRUE(eventually([&] { return out.out() == "held\n" || out.has_ended(); }));
    EXPECT_EQ(out.out(), "held\n") << out.err();
    return out;
}

bool cli::has_waiters(const std::string& name, std::size_t count) {
    const client fleet{sandbox_.url()};
    const auto info = admin{fleet}.inspect(name);
    return (info ? info->waiters.size() : 0) == count;
}

pid_t guardian_of(pid_t front) {
    pid_t out = 0;
    EXPECT_TRUE(eventually([&] {
        for (const auto& process : all_processes()) {
            if (process.parent == front && process.name == "hf-guardian") { out = process.pid; }
        }
        return out != 0;
    }));
    return out;
}

bool has_escapes(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](char letter) {
        return (letter >= 0 && letter < ' ' && letter != '\n') || letter == '\x7f';
    });
}

} // namespace holdfast::test
