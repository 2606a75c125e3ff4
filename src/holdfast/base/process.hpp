#pragma once
// Facts about this process (was it forked, its host, its boot), and the threads that it starts.

#include <cstdint>
#include <functional>
#include <string>
#include <system_error>
#include <thread>

namespace holdfast::base {

/// Changes in a child of fork(). An object that was made under another generation belongs to the
/// parent: the child must not use, flush or close it.
[[nodiscard]] std::uint64_t process_generation() noexcept;

[[nodiscard]] std::string host_name();

/// The kernel's id of this boot; empty if it cannot be read.
[[nodiscard]] std::string boot_id();

/// The contents of the file, e.g. under /proc; empty if it cannot be read.
[[nodiscard]] std::string read_small_file(const char* path);

/// Starts a named thread with all signals blocked, because signals belong to the application.
/// Throws std::system_error if the system refuses another thread; `thread_refused_text` is the
/// message for that.
[[nodiscard]] std::thread library_thread(const char* name, std::function<void()> body);

/// The message for a refused thread. It names the limits to raise.
[[nodiscard]] std::string thread_refused_text(const std::system_error& refusal);

/// For tests: called before each thread is started. If it returns false, library_thread() fails as
/// if the system had refused the thread. Null: no filter.
using thread_filter = bool (*)(const char* name);
void set_thread_filter(thread_filter filter) noexcept;

} // namespace holdfast::base
