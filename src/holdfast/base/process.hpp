#pragma once
// What a process must know about itself: whether it was forked, and where it runs.

#include <cstdint>
#include <functional>
#include <string>
#include <system_error>
#include <thread>

namespace holdfast::base {

/// Differs in a child of fork() from what it was in the parent. What was made under another
/// generation belongs to the parent: it must not be used, sent on, or closed.
[[nodiscard]] std::uint64_t process_generation() noexcept;

[[nodiscard]] std::string host_name();

/// The kernel's id of this boot; empty if it cannot be read.
[[nodiscard]] std::string boot_id();

/// What is in it, e.g. under /proc; empty if it cannot be read.
[[nodiscard]] std::string read_small_file(const char* path);

/// Starts a thread of the library's own: named, and with every signal blocked from its first
/// instruction on, because signals belong to the application. Throws std::system_error if the
/// system refuses another thread; `advice_on_threads` then says what to do.
[[nodiscard]] std::thread library_thread(const char* name, std::function<void()> body);

/// For the message: what was refused, and which limits there are.
[[nodiscard]] std::string advice_on_threads(const std::system_error& refusal);

/// For tests: asked before each thread is started; false: the system refuses it. Null: never.
using thread_judge = bool (*)(const char* name);
void judge_threads_by(thread_judge judge) noexcept;

} // namespace holdfast::base
