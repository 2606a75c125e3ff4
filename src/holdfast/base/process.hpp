#pragma once
// What a process must know about itself: whether it was forked, and where it runs.

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace holdfast::base {

/// Differs in a child of fork() from what it was in the parent. What was made under another
/// generation belongs to the parent: it must not be used, sent on, or closed.
[[nodiscard]] std::uint64_t process_generation() noexcept;

[[nodiscard]] std::string host_name();

/// The kernel's id of this boot; empty if it cannot be read.
[[nodiscard]] std::string boot_id();

/// Starts a thread of the library's own: named, and with every signal blocked from its first
/// instruction on, because signals belong to the application.
[[nodiscard]] std::thread library_thread(const char* name, std::function<void()> body);

} // namespace holdfast::base
