// Locks that are shared with services in other languages. The argument is the engine's URL; only
// Redis has these layouts.

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <mutex>

using namespace std::chrono_literals;

namespace {

void work_with_others(const holdfast::client& fleet) {
    // [doc: layouts]
    using holdfast::mutex, holdfast::layout;
    namespace compat = holdfast::compat;

    mutex java{fleet, "stock:1001", compat::redisson()}; // redisson.getLock("stock:1001")
    mutex go{fleet, "report", compat::go_zero(10s)};     // NewRedisLock(r, "report"), SetExpire(10)
    mutex node{fleet, "deploy", compat::redlock(8s)};    // redlock.acquire(["deploy"], 8000)
    mutex python{fleet, "import", {.lease = 10s, .layout = layout::plain}}; // r.lock("import", 10)

    const std::scoped_lock hold{java}; // excludes the Java service, and is excluded by it
    // [end]
    for (auto* const lock : {&go, &node, &python}) {
        const std::scoped_lock inner_hold{*lock};
        std::cout << lock->name() << " is ours\n";
    }
}

} // namespace

int main(int argc, char** argv) {
    const holdfast::client fleet{argc > 1 ? argv[1] : "redis://127.0.0.1"};
    try {
        work_with_others(fleet);
    } catch (const holdfast::error& error) { std::cout << error.what() << '\n'; }
}
