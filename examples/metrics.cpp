// Reads a client's metrics, and serves them to Prometheus.

#include <holdfast/holdfast.hpp>

#include <iostream>
#include <string>
#include <string_view>

int main() {
    // [doc: serve]
    holdfast::client fleet{"memory:"};
    holdfast::metrics_server server{fleet, {.address = "127.0.0.1:0"}}; // 0: any free port
    // [end]
    holdfast::mutex stock{fleet, "stock:1001"};
    {
        const auto held = stock.acquire();
        // [doc: read]
        const holdfast::metrics now = fleet.metrics();
        std::cout << now.acquires.granted << " granted, " << now.holds_now << " held\n";
        // [end]
        if (stock.try_acquire()) { return 1; }
    }
    const auto text = holdfast::to_prometheus(fleet.metrics(), {{"client", "orders"}});
    const std::string_view wanted =
        "holdfast_acquires_total{client=\"orders\",outcome=\"busy\"} 1\n";
    std::cout << (text.find(wanted) == std::string::npos ? "not counted\n" : wanted);
    std::cout << (server.address().starts_with("127.0.0.1:") ? "served on loopback\n" : "?\n");
}
