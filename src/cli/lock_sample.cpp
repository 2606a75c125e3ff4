#include "cli/lock_sample.hpp"

namespace holdfast::cli {

lock_sample take_sample(const lock_walk& walk, lock_order order) {
    lock_sample out;
    walk.each_page([&](const std::vector<lock_info>& page) {
        for (const auto& lock : page) {
            ++out.all_locks;
            out.all_holders += lock.holders.size();
            out.all_waiters += lock.waiters.size();
            out.locks.push_back(lock);
        }
        sort_locks(out.locks, order);
        if (out.locks.size() > most_in_sample) { out.locks.resize(most_in_sample); }
        return true;
    });
    return out;
}

} // namespace holdfast::cli
