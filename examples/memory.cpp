// memory: locks within this process. For tests: nothing is left behind.

#include <holdfast/holdfast.hpp>

#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

int main() {
    int sold = 0; // guarded by the lock alone
    std::vector<std::jthread> sellers;
    sellers.reserve(4);
    for (int i = 0; i < 4; ++i) {
        sellers.emplace_back([&sold] {
            // [doc: memory]
            holdfast::client fleet{"memory:"}; // all clients of this process share it
            holdfast::mutex stock{fleet, "stock:1001"};
            for (int n = 0; n < 100; ++n) {
                const std::scoped_lock hold{stock};
                ++sold;
            }
            // [end]
        });
    }
    sellers.clear(); // joins
    std::cout << "sold " << sold << '\n';
}
