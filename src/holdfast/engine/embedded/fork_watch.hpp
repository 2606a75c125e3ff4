#pragma once
// What must not be open across fork(), process-wide.
//
// SQLite keeps a table of the files that this process has open and of the POSIX locks on them. A
// child of fork() inherits the table but not the locks. A new client in the child would find the
// table, believe that it has the locks, and others would then remove the WAL under it: two holders.
// So the connections are closed before a fork and opened again by the next operation. (system(),
// popen() and posix_spawn() are not fork(): they cost nothing here.)

#include <mutex>

namespace holdfast::engine::embedded {

/// A store that is told of forks. `guard()` is held by whoever uses it.
class fork_watch {
public:
    fork_watch(const fork_watch&) = delete;
    fork_watch& operator=(const fork_watch&) = delete;

    [[nodiscard]] std::mutex& guard() noexcept { return guard_; }

    /// In the parent, with the guard held: close what the child must not inherit.
    virtual void before_fork() noexcept = 0;
    /// In the child: close the descriptors that would keep the parent's clients alive.
    virtual void in_child() noexcept = 0;

protected:
    fork_watch() = default;
    ~fork_watch() = default;
    /// Not in the constructor and destructor: the functions above must be there to be called.
    void watch();
    void unwatch() noexcept;

private:
    std::mutex guard_;
};

} // namespace holdfast::engine::embedded
