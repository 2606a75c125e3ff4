#include "cli/operator_fixture.hpp"

#include <cstdlib>

namespace holdfast::test {

namespace {

words with_url(const std::string& url, const words& line) {
    words out{HOLDFAST_CLI, line.front()};
    if (!url.empty()) { out.insert(out.end(), {"--url", url}); }
    out.insert(out.end(), line.begin() + 1, line.end());
    return out;
}

} // namespace

command_result operator_commands::at(const std::string& url, const words& line) {
    return sandbox_.run(with_url(url, line));
}

running_command operator_commands::start_at(const std::string& url, const words& line) {
    return sandbox_.start(with_url(url, line));
}

running_command operator_commands::hold_at(const std::string& url, const std::string& name,
                                           const words& options) {
    words line{"run"};
    line.insert(line.end(), options.begin(), options.end());
    line.insert(line.end(), {name, "--", "sh", "-c", "echo held; exec sleep 1000"});
    auto out = start_at(url, line);
    EXPECT_TRUE(eventually([&] { return out.out() == "held\n" || out.has_ended(); }));
    EXPECT_EQ(out.out(), "held\n") << out.err();
    return out;
}

std::string operator_commands::of_json(const std::string& lines, const std::string& expression) {
    const auto end = sandbox_.run({"python3", "-c",
                                   "import json, sys\n"
                                   "for line in sys.stdin:\n"
                                   "    each = json.loads(line)\n"
                                   "    print((" +
                                       expression + "))"},
                                  {.input = lines});
    EXPECT_EQ(end.code, 0) << "python3: " << end.err << lines;
    return end.out;
}

std::uint64_t operator_commands::token_at(const std::string& url, const std::string& name) {
    const auto shown = at(url, {"show", "--json", name});
    if (shown.code != 0) { return 0; }
    const auto text = of_json(shown.out, "each['holders'][0]['token'] if each['holders'] else 0");
    return std::strtoull(text.c_str(), nullptr, 10);
}

} // namespace holdfast::test
