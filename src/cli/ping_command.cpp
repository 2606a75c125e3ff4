// holdfast ping: whether the engine answers, and how fast.

#include "cli/commands.hpp"
#include "cli/duration.hpp"
#include "cli/engine_flags.hpp"
#include "cli/exit_codes.hpp"
#include "cli/number_check.hpp"
#include "cli/output.hpp"
#include "cli/script_output.hpp"

#include <holdfast/client.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

namespace holdfast::cli {

namespace {

constexpr unsigned most_pings = 1'000'000'000;

struct ping_flags {
    engine_flags engine;
    unsigned count = 1;
    std::string interval = "1s";
    bool json = false;
};

std::string result_line(const std::string& engine, std::chrono::nanoseconds took, bool json) {
    const std::chrono::duration<double, std::milli> ms = took;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f", ms.count());
    if (json) {
        return "{\"engine\": " + json_quote(engine) + ", \"took_ms\": " + text.data() + "}\n";
    }
    return engine + " answered in " + text.data() + " ms\n";
}

int ping(const ping_flags& flags) {
    const auto engine = parse_engine_flags(flags.engine);
    const auto interval = parse_duration_option("--interval", flags.interval);
    auto client = engine.open();
    for (unsigned at = 0; at < flags.count; ++at) {
        if (at > 0) { std::this_thread::sleep_for(interval); }
        if (!print(result_line(engine.label(), client.ping(), flags.json))) { break; }
    }
    return exit_code::ok;
}

} // namespace

void add_ping(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<ping_flags>();
    auto* const sub = app.add_subcommand("ping", "Check that the engine answers, and how fast");
    sub->footer("The first time includes the connection. Exit code 69: it cannot be reached or "
                "used.");
    sub->add_option("-c,--count", flags->count, "Ask N times; default 1")
        ->type_name("N")
        ->check(whole_number(1, most_pings));
    sub->add_option("--interval", flags->interval, "The pause between two; default 1s")
        ->type_name("DUR");
    sub->add_flag("--json", flags->json, "Print a JSON object per answer and line");
    add_engine_flags(*sub, flags->engine);
    sub->callback([flags, &chosen] { chosen = [flags] { return ping(*flags); }; });
}

} // namespace holdfast::cli
