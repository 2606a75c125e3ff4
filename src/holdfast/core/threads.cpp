#include "holdfast/core/threads.hpp"

#include "holdfast/core/client_core.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace holdfast::core {

namespace {

std::atomic<std::uint64_t> last_thread{0};

struct watched_hold {
    std::weak_ptr<client_core> core;
    std::weak_ptr<hold> what;
    const hold* key;
};

class thread_part {
public:
    thread_part() noexcept : number_{last_thread.fetch_add(1, std::memory_order_relaxed) + 1} {}
    thread_part(const thread_part&) = delete;
    thread_part& operator=(const thread_part&) = delete;
    ~thread_part() {
        for (const auto& one : holds_) {
            const auto core = one.core.lock();
            const auto what = one.what.lock();
            if (!core || !what || core->inherited()) { continue; }
            core->abandon(*what);
            core->recursion().forget_thread(number_);
        }
    }

    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
    std::vector<watched_hold>& holds() noexcept { return holds_; }

private:
    std::uint64_t number_;
    std::vector<watched_hold> holds_;
};

thread_part& mine() noexcept {
    thread_local thread_part part;
    return part;
}

} // namespace

std::uint64_t this_thread() noexcept { return mine().number(); }

void watch_hold(const std::shared_ptr<client_core>& core, const std::shared_ptr<hold>& what) {
    mine().holds().push_back({core, what, what.get()});
}

void forget_hold(const hold* what) noexcept {
    auto& all = mine().holds();
    std::erase_if(all, [what](const watched_hold& one) { return one.key == what; });
}

} // namespace holdfast::core
