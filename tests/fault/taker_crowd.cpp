#include "fault/taker_crowd.hpp"

#include "history/parser.hpp"
#include "history/report.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>
#include <utility>
#include <variant>

namespace holdfast::test {

taker_crowd::taker_crowd(taker_crowd_options options)
    : options_{std::move(options)}, random_{options_.seed}, events_{file("history"), "test"} {}

std::string taker_crowd::file(const std::string& name) const {
    return (std::filesystem::path{folder_.path()} / name).string();
}

void taker_crowd::start() {
    // Each lock guards files of its own.
    const auto at = static_cast<std::size_t>(started_) % options_.names.size();
    const auto number = std::to_string(at);
    all_.push_back(std::make_unique<taker_process>(
        events_, std::vector<std::string>{"--url",     options_.url,
                                          "--name",    options_.names[at],
                                          "--label",   "taker-" + std::to_string(++started_),
                                          "--history", file("history"),
                                          "--store",   file("guarded" + number),
                                          "--counter", file("counter" + number),
                                          "--rounds",  "0",
                                          "--quiet",   "1",
                                          "--hold",    below(4) == 0 ? "100000" : "5000",
                                          "--pause",   "3000",
                                          "--lease",   std::to_string(options_.lease.count())}));
}

void taker_crowd::fill_up() {
    std::erase_if(all_, [](const auto& each) { return each->ended(); });
    while (all_.size() < options_.size) { start(); }
}

taker_process& taker_crowd::some() {
    return *all_.at(static_cast<std::size_t>(below(static_cast<int>(all_.size()))));
}

void taker_crowd::kill_some() { some().kill(); }

void taker_crowd::stop_some(milliseconds longest) {
    auto& stopped = some();
    stopped.stop();
    std::this_thread::sleep_for(milliseconds{below(static_cast<int>(longest.count()))});
    stopped.resume();
}

std::string taker_crowd::finish() {
    for (auto& each : all_) { each->kill(); }
    all_.clear();
    const history::check_options options{.loss_notice = 20ms + scaled(500ms),
                                         .loss_notice_after_stop = 100ms + scaled(500ms),
                                         .starvation_bound = 10 * long_wait,
                                         .counter = true};
    const auto all = history::parse_file(file("history"));
    if (!all.errors.empty()) { return "the history cannot be read"; }
    holds_ = std::ranges::count_if(all.events, [](const history::event& each) {
        return std::holds_alternative<history::granted>(each.type);
    });
    std::cout << holds_ << " holds by " << started_ << " processes" << std::endl;
    const auto found = history::check(all.events, options);
    return found.empty() ? std::string{} : history::describe(all.events, found);
}

} // namespace holdfast::test
