// A latch, a barrier, a once flag and an election, each used by several clients; they could be
// processes on several hosts.

#include <holdfast/holdfast.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

std::atomic<int> migrations{0};

std::string migrate() {
    ++migrations;
    return "schema 7";
}

void wait_for_all(const char* url) {
    std::vector<std::jthread> hosts;
    for (const std::string hostname : {"a", "b", "c"}) {
        hosts.emplace_back([url, hostname] {
            // [doc: latch]
            holdfast::client fleet{url};
            holdfast::latch ready{fleet, "deploy-42:ready", 3};
            ready.count_down(1, {.id = hostname}); // counts once, also if a script runs it twice
            ready.wait();
            // [end]
        });
    }
}

int meet(const char* url) {
    std::atomic<int> steps{0};
    std::vector<std::jthread> workers(2);
    for (auto& worker : workers) {
        worker = std::jthread{[url, &steps] {
            // [doc: barrier]
            holdfast::client fleet{url};
            holdfast::barrier round{fleet, "simulation", 2};
            for (int step = 0; step < 3; ++step) {
                ++steps;
                round.arrive_and_wait(); // nobody begins the next step before all are here
            }
            // [end]
        }};
    }
    workers.clear(); // joins
    return steps;
}

void migrate_once(const char* url) {
    std::vector<std::jthread> hosts(3);
    for (auto& host : hosts) {
        host = std::jthread{[url] {
            // [doc: once]
            holdfast::client fleet{url};
            holdfast::once_flag migrated{fleet, "schema-7"};
            const std::string version = holdfast::call_once(migrated, [] { return migrate(); });
            // [end]
            if (version != "schema 7") { std::cout << "another result: " << version << '\n'; }
        }};
    }
}

void lead(const char* url) {
    // [doc: election]
    holdfast::client fleet{url};
    holdfast::election scheduler{fleet, "scheduler"};
    auto term = scheduler.campaign("10.0.0.7:8080"); // waits until nobody else leads
    const std::stop_callback stop{term.lost(), [] { std::cout << "stop the work\n"; }};
    // ... work, and send term.term() along with each write ...
    // [end]
    std::cout << "leader: " << scheduler.leader().value << '\n';
    std::cout << "a second leader: " << (scheduler.try_campaign() ? "yes" : "no") << '\n';

    // [doc: observe]
    std::jthread observer{[&](const std::stop_token& stopped) {
        scheduler.observe(stopped, [](const holdfast::leader_state& leader) {
            if (leader.term == 0) { std::cout << "nobody leads\n"; }
        });
    }};
    // [end]
    term.resign();
    std::this_thread::sleep_for(300ms);
}

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    wait_for_all(url);
    std::cout << "all are ready\n";
    std::cout << "steps: " << meet(url) << '\n';
    migrate_once(url);
    std::cout << "migrations: " << migrations << '\n';
    lead(url);
}
