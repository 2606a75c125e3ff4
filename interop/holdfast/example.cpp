// The code of docs/interop.md; tests run it: example PORT[,PORT...] CLIENT

#include <holdfast/compat.hpp>
#include <holdfast/holdfast.hpp>

#include <iostream>
#include <mutex>
#include <sstream>
#include <string>

namespace {

using namespace std::chrono_literals;

void sell_one() { std::cout << "sold one\n"; }

void with_redisson(const std::string& address) {
    // [doc: redisson]
    holdfast::client fleet{"redis://" + address};
    holdfast::mutex stock{fleet, "stock:1001", holdfast::compat::redisson()};
    const std::scoped_lock hold{stock}; // Redisson's unlock wakes it
    sell_one();
    // [end]
}

void with_go_zero(const std::string& address) {
    // [doc: go-zero]
    holdfast::client fleet{"redis://" + address};
    holdfast::mutex stock{fleet, "stock:1001", holdfast::compat::go_zero(10s)};
    const std::scoped_lock hold{stock}; // waits and renews: RedisLock does neither
    sell_one();
    // [end]
}

void with_redlock(const std::string& address) {
    // [doc: redlock]
    holdfast::client fleet{"redis://" + address};
    holdfast::mutex stock{fleet, "stock:1001", holdfast::compat::redlock(10s)};
    const std::scoped_lock hold{stock};
    sell_one();
    // [end]
}

void with_redis_py(const std::string& address) {
    // [doc: plain]
    holdfast::client fleet{"redis://" + address + "?layout=plain"}; // for all locks of this client
    holdfast::mutex stock{fleet, "stock:1001", {.lease = 10s}};
    const std::scoped_lock hold{stock};
    sell_one();
    // [end]
}

void with_pottery(const std::string& address) {
    // [doc: pottery]
    holdfast::client fleet{"redis://" + address + "?layout=plain&key_prefix=redlock:"};
    holdfast::mutex stock{fleet, "stock:1001", {.lease = 10s}};
    const std::scoped_lock hold{stock};
    sell_one();
    // [end]
}

void with_quorum(const std::string& addresses) {
    // [doc: quorum]
    // "redlock://host:port,host:port,host:port?layout=plain"
    holdfast::client fleet{"redlock://" + addresses + "?layout=plain"};
    holdfast::mutex stock{fleet, "stock:1001", {.lease = 10s}};
    const std::scoped_lock hold{stock};
    sell_one();
    // [end]
}

void with_quorum_of_pottery(const std::string& addresses) {
    // [doc: quorum of pottery]
    holdfast::client fleet{"redlock://" + addresses + "?layout=plain&key_prefix=redlock:"};
    holdfast::mutex stock{fleet, "stock:1001", {.lease = 10s}};
    // [end]
    const std::scoped_lock hold{stock};
    sell_one();
}

/// "7001,7002" -> "127.0.0.1:7001,127.0.0.1:7002"
std::string addresses_of(const std::string& ports) {
    std::string out;
    std::istringstream all{ports};
    for (std::string port; std::getline(all, port, ',');) {
        out += (out.empty() ? "127.0.0.1:" : ",127.0.0.1:") + port;
    }
    return out;
}

} // namespace

int main(int argc, char** argv) {
    const std::string ports = argc > 1 ? argv[1] : "6379";
    const std::string client = argc > 2 ? argv[2] : "redis-py";
    const auto address = addresses_of(ports);
    if (ports.find(',') != std::string::npos) {
        client == "pottery" ? with_quorum_of_pottery(address) : with_quorum(address);
    } else if (client == "redisson") {
        with_redisson(address);
    } else if (client == "go-zero") {
        with_go_zero(address);
    } else if (client == "redis-py") {
        with_redis_py(address);
    } else if (client == "pottery") {
        with_pottery(address);
    } else {
        with_redlock(address);
    }
}
