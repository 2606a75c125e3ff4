// Duplicate orders: a user clicks twice, a proxy repeats the request, and the same order arrives at
// several servers at once. One of them accepts it.

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <iostream>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

/// The database. It has no unique index, and its two calls are no transaction. Both refuse the
/// token of a server that was paused and overtaken by another.
class order_table {
public:
    bool contains(const std::string& order, std::uint64_t token) {
        const std::lock_guard lock{mutex_};
        guard_.check(token); // throws stale_token
        return std::ranges::find(rows_, order) != rows_.end();
    }
    void insert(const std::string& order, std::uint64_t token) {
        const std::lock_guard lock{mutex_};
        guard_.check(token);
        rows_.push_back(order);
    }
    std::size_t size() const { return rows_.size(); }

private:
    std::mutex mutex_;
    std::vector<std::string> rows_;
    holdfast::fence guard_; // one user here; a real table has a token per user
};

// [doc: orders]
enum class answer { accepted, duplicate, busy };

answer submit(holdfast::client& fleet, order_table& table, int user, const std::string& order) {
    holdfast::mutex lock{fleet, "user:" + std::to_string(user), {.lease = 5s}};
    const auto lease = lock.try_acquire_for(10s, {.note = order});
    if (!lease) { return answer::busy; } // the user's earlier orders take too long: 503
    if (table.contains(order, lease->token())) { return answer::duplicate; }
    std::this_thread::sleep_for(5ms); // checks the credit, reserves the goods
    table.insert(order, lease->token());
    return answer::accepted;
}
// [end]

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    order_table table;
    std::array<std::atomic<int>, 3> answers{};
    std::latch start{6};
    std::vector<std::jthread> servers;
    servers.reserve(6);
    for (int i = 0; i < 6; ++i) {
        servers.emplace_back([&] { // each could be a process of its own
            holdfast::client fleet{url};
            start.arrive_and_wait();
            ++answers.at(static_cast<std::size_t>(submit(fleet, table, 42, "order 7")));
        });
    }
    servers.clear(); // joins
    std::cout << "order 7: " << answers[0] << " accepted, " << answers[1] << " duplicates, "
              << answers[2] << " busy\n";
    holdfast::client fleet{url};
    const bool accepted = submit(fleet, table, 42, "order 8") == answer::accepted;
    std::cout << "order 8, by the same user: " << (accepted ? "accepted" : "refused") << '\n';
    std::cout << "in the table: " << table.size() << '\n';
}
