// The code of docs/migrate.md; tests run it: migrate PORT

#include <holdfast/compat.hpp>
#include <holdfast/holdfast.hpp>

#include <iostream>
#include <mutex>
#include <stop_token>
#include <string>

namespace {

using namespace std::chrono_literals;

void sell_one() { std::cout << "sold one\n"; }
void abandon() {}
void prepare() {}

void from_red_mutex(const std::string& address) {
    // [doc: red mutex]
    holdfast::client fleet{"redis://" + address + "?layout=plain"};
    holdfast::mutex stock{fleet, "stock:1001", {.lease = 3s}};
    const std::unique_lock hold{stock};
    const std::stop_callback lost{stock.lost(), [] { abandon(); }}; // before anybody else holds it
    sell_one();
    // [end]
}

void from_red_lock(const std::string& address) {
    // [doc: red lock]
    holdfast::client fleet{"redis://" + address + "?layout=plain"};
    holdfast::mutex stock{fleet, "stock:1001", {.lease = 10s, .renew = false}};
    if (auto hold = stock.try_acquire()) {
        prepare();
        hold->extend(10s); // throws holdfast::error with errc::lost if it is lost
        sell_one();
    } // releases
    // [end]
}

void from_set_nx(const std::string& address) {
    // [doc: set nx]
    holdfast::client fleet{"redis://" + address + "?layout=plain"};
    holdfast::mutex stock{fleet, "stock:1001", {.lease = 10s}};
    if (auto hold = stock.try_acquire_for(2s)) { // empty: somebody else has it
        sell_one();
    }
    // [end]
}

void from_redlock_cpp(const std::string& address) {
    // [doc: redlock-cpp]
    holdfast::client fleet{"redis://" + address};
    holdfast::mutex stock{fleet, "stock:1001", holdfast::compat::redlock(10s)};
    if (auto hold = stock.try_acquire_for(600ms)) {
        if (hold->valid()) { sell_one(); } // valid now, not only at the acquire
    }
    // [end]
}

void from_redsync(const std::string& hosts) {
    // [doc: redsync]
    holdfast::client fleet{"redlock://" + hosts + "?layout=plain"}; // redis1,redis2,redis3
    holdfast::mutex stock{fleet, "stock:1001", holdfast::compat::redsync(10s)};
    const auto hold = stock.acquire(); // after 32 tries: limit_reached
    sell_one();
    // [end]
}

void from_node_redlock(const std::string& hosts) {
    // [doc: node-redlock]
    holdfast::client fleet{"redlock://" + hosts + "?layout=plain"};
    holdfast::mutex stock{fleet, "stock:1001", holdfast::compat::redlock(10s)};
    const auto hold = stock.acquire(); // renewed until it is destroyed
    const std::stop_callback lost{hold.lost(), [] { abandon(); }};
    sell_one();
    // [end]
}

void at_the_end(const std::string& address) {
    // [doc: native]
    holdfast::client fleet{"redis://" + address};
    holdfast::mutex stock{fleet, "stock:1001"};
    const std::scoped_lock hold{stock}; // waits its turn; has stock.token()
    sell_one();
    // [end]
}

} // namespace

int main(int argc, char** argv) {
    const auto address = std::string{"127.0.0.1:"} + (argc > 1 ? argv[1] : "6379");
    from_red_mutex(address);
    from_red_lock(address);
    from_set_nx(address);
    from_redlock_cpp(address);
    from_redsync(address); // a quorum of one
    from_node_redlock(address);
    at_the_end(address);
}
