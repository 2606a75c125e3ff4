#include "cli/cli.hpp"

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

outcome cli::shell(const std::string& line, const start_options& options) {
    auto with = options;
    with.variables.emplace_back("holdfast", HOLDFAST_CLI);
    return here.run({"/bin/bash", "-c", line}, with);
}

running cli::hold(const std::string& name, const words& options) {
    words all = options;
    all.insert(all.end(), {name, "--", "sh", "-c", "echo held; exec sleep 1000"});
    auto out = start(all);
    EXPECT_TRUE(eventually([&] { return out.out() == "held\n" || out.over(); }));
    EXPECT_EQ(out.out(), "held\n") << out.err();
    return out;
}

bool cli::waiters_are(const std::string& name, std::size_t count) {
    const client fleet{here.url()};
    const auto info = admin{fleet}.inspect(name);
    return (info ? info->waiters.size() : 0) == count;
}

pid_t guardian_of(pid_t front) {
    pid_t out = 0;
    EXPECT_TRUE(eventually([&] {
        for (const auto& one : all_processes()) {
            if (one.parent == front && one.name == "hf-guardian") { out = one.pid; }
        }
        return out != 0;
    }));
    return out;
}

bool has_escapes(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](char one) {
        return (one >= 0 && one < ' ' && one != '\n') || one == '\x7f';
    });
}

} // namespace holdfast::test
