#include "scarcity/scarce.hpp"

#include "holdfast/base/process.hpp"

#if HOLDFAST_WITH_EMBEDDED
#    include <sqlite3.h>
#endif

#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

namespace holdfast::test::scarce {

namespace {

/// Requests of one kind.
class supply {
public:
    void refuse(std::size_t first, std::size_t last) {
        asked_ = 0;
        refused_ = false;
        first_ = first;
        last_ = last;
        counting_ = true;
    }
    [[nodiscard]] bool refuses_this() noexcept;
    [[nodiscard]] account end() {
        if (!counting_.exchange(false)) { return {}; }
        return {asked_, refused_};
    }

private:
    std::atomic<bool> counting_{false};
    std::atomic<bool> refused_{false};
    std::atomic<std::size_t> asked_{0};
    std::atomic<std::size_t> first_{0};
    std::atomic<std::size_t> last_{0};
};

constinit supply memory;
constinit std::atomic<bool> sqlite_counts{false};
constinit supply threads;
constinit thread_local unsigned exempt_here = 0;

bool supply::refuses_this() noexcept {
    if (!counting_.load(std::memory_order_relaxed) || exempt_here > 0) { return false; }
    const auto number = ++asked_;
    if (number < first_ || number > last_) { return false; }
    refused_ = true;
    return true;
}

void* take(std::size_t size) {
    if (memory.refuses_this()) { throw std::bad_alloc{}; }
    void* const got = std::malloc(size == 0 ? 1 : size); // NOLINT(cppcoreguidelines-no-malloc)
    if (got == nullptr) { throw std::bad_alloc{}; }
    return got;
}

void* take(std::size_t size, std::align_val_t alignment) {
    if (memory.refuses_this()) { throw std::bad_alloc{}; }
    const auto step = static_cast<std::size_t>(alignment);
    void* const got = std::aligned_alloc(step, (size + step - 1) / step * step);
    if (got == nullptr) { throw std::bad_alloc{}; }
    return got;
}

#if HOLDFAST_WITH_EMBEDDED
sqlite3_mem_methods sqlite_usual;

/// Before anybody uses SQLite: later it takes no other allocator.
[[maybe_unused]] const bool sqlite_asks_here = [] {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_usual) != SQLITE_OK) { std::abort(); }
    auto asking = sqlite_usual;
    asking.xMalloc = [](int size) {
        return sqlite_counts && memory.refuses_this() ? nullptr : sqlite_usual.xMalloc(size);
    };
    asking.xRealloc = [](void* old, int size) {
        return sqlite_counts && memory.refuses_this() ? nullptr : sqlite_usual.xRealloc(old, size);
    };
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &asking) != SQLITE_OK) { std::abort(); }
    return true;
}();
#endif

} // namespace

void refuse_memory(std::size_t which) {
    sqlite_counts = true;
    memory.refuse(which, which);
}

void refuse_own_memory(std::size_t which) {
    sqlite_counts = false;
    memory.refuse(which, which);
}

void refuse_memory_from(std::size_t which) {
    sqlite_counts = true;
    memory.refuse(which, static_cast<std::size_t>(-1));
}

void refuse_thread(std::size_t which) {
    base::set_thread_filter([](const char* /*name*/) { return !threads.refuses_this(); });
    threads.refuse(which, which);
}

account settle() {
    const auto of_memory = memory.end();
    const auto of_threads = threads.end();
    base::set_thread_filter(nullptr);
    return {of_memory.asked + of_threads.asked, of_memory.refused || of_threads.refused};
}

exempt::exempt() noexcept { ++exempt_here; }
exempt::~exempt() { --exempt_here; }

counted::counted() noexcept : before_{std::exchange(exempt_here, 0)} {}
counted::~counted() { exempt_here = before_; }

} // namespace holdfast::test::scarce

// NOLINTBEGIN(cppcoreguidelines-no-malloc,misc-new-delete-overloads)
void* operator new(std::size_t size) { return holdfast::test::scarce::take(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return holdfast::test::scarce::take(size, alignment);
}
void operator delete(void* what) noexcept { std::free(what); }
void operator delete(void* what, std::size_t /*size*/) noexcept { std::free(what); }
void operator delete(void* what, std::align_val_t /*alignment*/) noexcept { std::free(what); }
void operator delete(void* what, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
    std::free(what);
}
// NOLINTEND(cppcoreguidelines-no-malloc,misc-new-delete-overloads)
