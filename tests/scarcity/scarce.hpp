#pragma once
// Memory and threads that are refused: one request out of many, chosen by the test. This program's
// operator new asks here, SQLite's allocator does, and so does base::library_thread.

#include <cstddef>

namespace holdfast::test::scarce {

/// Of what is asked for from here on, by threads that are not exempt, the `which`-th is refused.
/// 0: none, but all are counted.
void refuse_memory(std::size_t which);
void refuse_own_memory(std::size_t which);  ///< operator new's only
void refuse_memory_from(std::size_t which); ///< all that is asked for from then on
void refuse_thread(std::size_t which);

/// The end of that; whether anything was refused, and how many requests there were.
struct account {
    std::size_t asked = 0;
    bool refused = false;
};
account settle();

/// What this thread asks for meanwhile is not counted: the test's own.
class exempt {
public:
    exempt() noexcept;
    exempt(const exempt&) = delete;
    exempt& operator=(const exempt&) = delete;
    ~exempt();
};

/// The other way round, inside of that.
class counted {
public:
    counted() noexcept;
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted();

private:
    unsigned before_;
};

} // namespace holdfast::test::scarce
