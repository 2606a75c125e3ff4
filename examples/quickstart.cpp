// The smallest program that locks between processes. Run it in two terminals: the second waits.
// [doc: quickstart]
#include <holdfast/holdfast.hpp>

#include <iostream>
#include <mutex>

int main(int argc, char** argv) {
    holdfast::client fleet{argc > 1 ? argv[1] : "embedded:"}; // no server: a file on this host
    holdfast::mutex stock{fleet, "stock:1001"};
    const std::scoped_lock hold{stock}; // waits its turn; renewed while it is held
    std::cout << "stock:1001 is ours, token " << stock.token() << "; Enter releases it\n";
    std::cin.get();
    return stock.valid() ? 0 : 1; // false: it was lost meanwhile
}
// [end]
