// Several names at once: threads that move money both ways never deadlock.

#include <holdfast/holdfast.hpp>

#include <iostream>
#include <thread>
#include <vector>

namespace {

int balance_a = 100; // guarded by the locks alone
int balance_b = 100;

void move_there(holdfast::client& fleet) {
    // [doc: acquire_all]
    auto both = holdfast::acquire_all(fleet, {"account:b", "account:a"}, {.note = "transfer"});
    if (both.token("account:a") > 0 && both.valid()) {
        --balance_a;
        ++balance_b;
    }
    both.release();
    // [end]
}

void move_back(holdfast::client& fleet) {
    // [doc: lock_all]
    holdfast::mutex a{fleet, "account:a"};
    holdfast::mutex b{fleet, "account:b"};
    const holdfast::scoped_lock_all both{b, a}; // in any order
    ++balance_a;
    --balance_b;
    // [end]
}

} // namespace

int main() {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([i] {
            holdfast::client fleet{"memory:"};
            for (int n = 0; n < 50; ++n) { i % 2 == 0 ? move_there(fleet) : move_back(fleet); }
        });
    }
    threads.clear(); // joins
    std::cout << "balances " << balance_a << " and " << balance_b << '\n';
}
