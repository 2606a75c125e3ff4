#include "quorum_group.hpp"

#include "server_keys.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace holdfast::interop {

namespace {

[[noreturn]] void fail(const std::string& why) {
    throw std::runtime_error{"the first lock on servers that all live: " + why};
}

} // namespace

quorum_group::quorum_group(client_under_test client, std::size_t servers)
    : client_{std::move(client)} {
    for (std::size_t i = 0; i < servers; ++i) {
        servers_.push_back(std::make_unique<test::redis_server>());
    }
    theirs_ = another_of_theirs();
    ours_ = another_of_ours();
    use_every_server(*theirs_);
    use_every_server(*ours_);
}

void quorum_group::use_every_server(driver_process& driver) {
    const auto key = client_.key_prefix + "first";
    const auto took = driver.ask("acquire first first 30500 15000");
    if (took != "held") { fail(took); }
    // A majority is enough for the answer.
    if (!test::eventually([&] { return votes(key) == live_count(); })) {
        fail("only " + std::to_string(votes(key)) + " servers have it");
    }
    const auto gave = driver.ask("release first");
    if (gave != "released") { fail(gave); }
    if (!test::eventually([&] { return votes(key) == 0; })) { fail("it is not given back"); }
}

std::unique_ptr<driver_process> quorum_group::another_of_theirs() const {
    return start_theirs(ports(), client_);
}

std::unique_ptr<driver_process> quorum_group::another_of_ours() const {
    return start_ours(ports(), client_);
}

void quorum_group::kill(std::size_t count) {
    for (; dead_ < count; ++dead_) { servers_.at(dead_)->kill(); }
}

void quorum_group::restart() {
    for (; dead_ > 0; --dead_) { servers_.at(dead_ - 1)->restart(); }
}

std::size_t quorum_group::votes(const std::string& key) {
    return static_cast<std::size_t>(
        std::count_if(servers_.begin() + static_cast<std::ptrdiff_t>(dead_), servers_.end(),
                      [&](const auto& one) { return time_to_live(*one, key) != -2ms; }));
}

milliseconds quorum_group::time_left(const std::string& key) {
    auto shortest = -2ms;
    for (auto i = dead_; i < servers_.size(); ++i) {
        const auto left = time_to_live(*servers_.at(i), key);
        if (left != -2ms && (shortest == -2ms || left < shortest)) { shortest = left; }
    }
    return shortest;
}

std::string quorum_group::undocumented_keys() {
    std::string out;
    for (auto i = dead_; i < servers_.size(); ++i) {
        out += interop::undocumented_keys(*servers_.at(i));
    }
    return out;
}

std::string quorum_group::ports() const {
    std::string out;
    for (const auto& one : servers_) {
        out += (out.empty() ? "" : ",") + std::to_string(one->port());
    }
    return out;
}

} // namespace holdfast::interop
