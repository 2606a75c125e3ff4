#include "driver.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>
#include <stdexcept>

namespace holdfast::interop {

namespace {

/// Of one server, of a quorum of several, or of a cluster.
std::string url(const driver_options& options) {
    const std::string cluster = "cluster:";
    const bool is_cluster = options.ports.starts_with(cluster);
    std::string addresses;
    std::istringstream ports{options.ports.substr(is_cluster ? cluster.size() : 0)};
    for (std::string port; std::getline(ports, port, ',');) {
        addresses += (addresses.empty() ? "127.0.0.1:" : ",127.0.0.1:") + port;
    }
    const bool several = addresses.find(',') != std::string::npos;
    const auto* const scheme =
        is_cluster ? "redis+cluster://" : (several ? "redlock://" : "redis://");
    return scheme + addresses +
           "?layout=" + (options.layout == layout::redisson ? "redisson" : "plain") +
           (options.parameters.empty() ? "" : "&" + options.parameters);
}

/// Answers with what the body says, or with what it threw.
void told(const std::string& number, const std::function<std::string()>& body) {
    std::string text;
    try {
        text = body();
    } catch (const error& failure) {
        text = failure.code() == errc::unsupported ? "unsupported"
                                                   : std::string{"error "} + failure.what();
    } catch (const std::exception& failure) { text = std::string{"error "} + failure.what(); }
    std::replace(text.begin(), text.end(), '\n', ' ');
    static std::mutex output;
    const std::lock_guard guard{output};
    std::cout << number << ' ' << text << std::endl;
}

milliseconds in_ms(const std::string& text) { return milliseconds{std::stoll(text)}; }

/// HOLD NAME LEASE_MS [WAIT_MS] OPTION...
terms terms_of(const words& arguments, bool waits) {
    const std::size_t first_option = waits ? 4 : 3;
    const auto has = [&](const char* option) {
        const auto from = arguments.begin() + static_cast<std::ptrdiff_t>(first_option);
        return std::find(from, arguments.end(), option) != arguments.end();
    };
    const auto kind = [&]() -> std::string {
        for (const auto* const each :
             {"read", "write", "fair", "multi", "semaphore", "expirable"}) {
            if (has(each)) { return each; }
        }
        return {};
    };
    return {.name = arguments.at(1),
            .lease = in_ms(arguments.at(2)),
            .wait = waits ? in_ms(arguments.at(3)) : milliseconds{0},
            .watchdog = has("watchdog"),
            .fenced = has("fenced"),
            .reentrant = has("reentrant"),
            .kind = kind()};
}

void increment(const std::string& file) {
    long value = 0;
    if (!(std::ifstream{file} >> value)) { throw std::runtime_error{"no number in " + file}; }
    std::ofstream{file} << value + 1;
}

} // namespace

driver::driver(const driver_options& options)
    : fleet_{url(options)},
      layout_{options.layout},
      watchdog_{options.watchdog},
      admin_{fleet_, options.layout} {}

driver::owner& driver::owner_of(const std::string& name) {
    auto& found = owners_[name];
    if (!found) { found = std::make_unique<owner>(fleet_, layout_, watchdog_); }
    return *found;
}

void driver::handle(const std::string& number, const std::string& command, const words& arguments) {
    const auto with_hold = [&](auto body) {
        auto& one = owner_of(arguments.at(0));
        one.thread.then([number, body, &one] { told(number, [&] { return body(one.held); }); });
    };
    const auto aside = [&](auto body) {
        others_.emplace_back().then([number, body] { told(number, body); });
    };
    if (command == "hello") {
        told(number, [] { return std::string{"ok holdfast "} + library_version_string(); });
    } else if (command == "try" || command == "acquire") {
        const auto wanted = terms_of(arguments, command == "acquire");
        with_hold([wanted](hold& held) { return held.acquire(wanted); });
    } else if (command == "reenter") {
        with_hold([](hold& held) { return held.reenter(); });
    } else if (command == "renew") {
        with_hold([](hold& held) { return held.renew(); });
    } else if (command == "release") {
        with_hold([](hold& held) { return held.release(); });
    } else if (command == "intrude") {
        aside([this, arguments] { return intrude(arguments.at(0)); });
    } else if (command == "ask") {
        aside([this, arguments] { return ask(arguments.at(0)); });
    } else if (command == "force") {
        aside([this, arguments] { return force(arguments); });
    } else if (command == "count") {
        aside([this, arguments] { return count(arguments); });
    } else if (command == "missing" || command == "arrive" || command == "await") {
        aside([this, command, arguments] { return use_latch(command, arguments); });
    } else {
        told(number, [] { return "unsupported"; });
    }
}

std::string driver::use_latch(const std::string& command, const words& arguments) {
    latch shared{fleet_, arguments.at(0), static_cast<unsigned>(std::stoul(arguments.at(1)))};
    if (command == "missing") { return std::to_string(shared.remaining()); }
    if (command == "await") { return shared.wait_for(in_ms(arguments.at(2))) ? "open" : "closed"; }
    shared.count_down();
    return "arrived";
}

std::string driver::intrude(const std::string& name) {
    // An owner of ours, well formed, which holds nothing.
    return admin_.release(name, fleet_.id() + ":1000000") ? "released" : "refused";
}

std::string driver::force(const words& arguments) {
    const bool fair = arguments.size() > 1 && arguments.at(1) == "fair";
    const admin by{fleet_, fair ? layout::redisson_fair : layout_};
    return by.break_lock(arguments.at(0)) ? "broken" : "free";
}

std::string driver::ask(const std::string& name) {
    const auto found = admin_.inspect(name);
    if (!found || found->holders.empty()) { return "free"; }
    return "held " + std::to_string(found->holders.front().remaining.count());
}

std::string driver::count(const words& arguments) {
    holdfast::mutex lock{fleet_,
                         arguments.at(0),
                         {.lease = milliseconds{30'500}, .renew = false, .layout = layout_}};
    const auto times = std::stoi(arguments.at(1));
    for (int i = 0; i < times; ++i) {
        const std::lock_guard guard{lock};
        increment(arguments.at(2));
    }
    return "done " + arguments.at(1);
}

} // namespace holdfast::interop
