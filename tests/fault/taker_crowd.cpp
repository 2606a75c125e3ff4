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

std::unique_ptr<taker_process> taker_crowd::start(milliseconds lease, std::size_t name,
                                                  std::vector<std::string> more) {
    const auto number = std::to_string(name); // each lock guards files of its own
    more.insert(more.end(),
                {"--url", options_.url, "--name", options_.names[name], "--label",
                 "taker-" + std::to_string(++started_), "--history", file("history"), "--store",
                 file("guarded" + number), "--lease", std::to_string(lease.count())});
    return std::make_unique<taker_process>(events_, more);
}

void taker_crowd::fill_up() {
    std::erase_if(all_, [](const auto& each) { return each->ended(); });
    while (all_.size() < options_.size) {
        const std::string hold = below(4) == 0 ? "100000" : "5000"; // microseconds
        const auto pause = std::to_string(options_.pause.count() * 1000);
        const auto name = static_cast<std::size_t>(started_) % options_.names.size();
        all_.push_back(start(options_.lease, name,
                             {"--counter", file("counter" + std::to_string(name)), "--rounds", "0",
                              "--quiet", "1", "--hold", hold, "--pause", pause}));
    }
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

bool taker_crowd::freeze_holder(milliseconds lease) {
    // Without a counter it writes nothing before it is frozen: it would block the others' writes.
    frozen_ = start(lease, 0, {"--hold", "until_released"});
    if (!frozen_->wait_for_line("holding", 2 * long_wait)) { return false; }
    frozen_->stop();
    return true;
}

void taker_crowd::thaw_holder() {
    frozen_->resume();
    frozen_->send_line("write");
    frozen_->send_line("release");
    all_.push_back(std::move(frozen_));
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
