// An operator lists the locks, inspects one and breaks it.

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

namespace {

// [doc: inspect]
void show(const holdfast::lock_info& lock) {
    std::cout << lock.name << ": " << lock.holders.size() << " holding, " << lock.waiters.size()
              << " waiting\n";
    for (const auto& holder : lock.holders) {
        std::cout << "  held by " << holder.note << " on " << holder.host << ", pid " << holder.pid
                  << ", token " << holder.token << '\n';
    }
    for (const auto& waiter : lock.waiters) { std::cout << "  wanted by " << waiter.note << '\n'; }
}
// [end]

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    holdfast::client fleet{url};
    holdfast::mutex deploy{fleet, "deploy:shop"};
    const auto stuck = deploy.acquire({.note = "anna: deploy 41"});

    std::jthread next{[url] {
        holdfast::client other{url};
        holdfast::mutex same{other, "deploy:shop"};
        const auto lease = same.acquire({.note = "ben: deploy 42"});
        std::cout << "ben has it now\n";
    }};

    // [doc: break]
    const holdfast::admin admin{fleet};
    while (admin.inspect("deploy:shop")->waiters.empty()) { std::this_thread::sleep_for(5ms); }
    for (const auto& lock : admin.list({.prefix = "deploy:"}).locks) { show(lock); }

    // only_token: break it only if anna still holds it, and not the next holder.
    const bool was_broken = admin.break_lock("deploy:shop", {.only_token = stuck.token()});
    // [end]
    next.join();
    while (!stuck.lost().stop_requested()) { std::this_thread::sleep_for(5ms); }
    const bool was_notified = stuck.why_lost() == holdfast::loss::taken;
    std::cout << "taken from anna: " << (was_broken ? "yes" : "no") << '\n';
    std::cout << "and her program is told: " << (was_notified ? "yes" : "no") << '\n';
}
