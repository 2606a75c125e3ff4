#pragma once
// Closes what must not stay open across fork(), for all stores of the process.
//
// SQLite keeps a table of the files that this process has open and of the POSIX locks on them. A
// child of fork() inherits the table but not the locks. SQLite in the child would believe that it
// has the locks, and another process could remove the WAL under it: two holders. So the connections
// are closed before a fork, and the next operation opens them again. (system(), popen() and
// posix_spawn() do not call fork() handlers and cost nothing here.)

#include <mutex>

namespace holdfast::engine::embedded {

/// Base class of a store that must react to fork(). Its user holds `guard()`.
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
    /// Not in this class's constructor and destructor: the overriders must exist meanwhile.
    void watch();
    void unwatch() noexcept;

private:
    std::mutex guard_;
};

} // namespace holdfast::engine::embedded
