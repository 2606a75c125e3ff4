#pragma once
// How often each thread of a client holds each name, for recursive_mutex.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::core {

class hold;

/// Thread safety: all members from any thread; each thread only sees and changes its own entries.
class recursion {
public:
    struct entry {
        std::shared_ptr<hold> held;
        unsigned count = 0;
    };

    /// Empty (count 0) if the thread holds nothing of that name.
    [[nodiscard]] entry find(std::uint64_t thread, std::string_view name) const;
    void begin(std::uint64_t thread, const std::string& name, std::shared_ptr<hold> held);
    void increment(std::uint64_t thread, std::string_view name);
    /// Returns the hold if its count reaches 0; the caller releases it.
    [[nodiscard]] std::shared_ptr<hold> decrement(std::uint64_t thread, std::string_view name);
    void forget_thread(std::uint64_t thread);

private:
    mutable std::mutex mutex_;
    std::map<std::uint64_t, std::map<std::string, entry, std::less<>>> threads_;
};

} // namespace holdfast::core
