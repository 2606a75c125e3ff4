#pragma once
// Runs a part of a test in a child of fork() without exec.

#include <functional>
#include <string>

namespace holdfast::test {

/// Returns the failure that `body` returned in the child; empty if none. The child ends by _exit,
/// so that exit handlers and destructors of the parent's objects do not run in it. A child that
/// hangs is killed.
[[nodiscard]] std::string in_child(const std::function<std::string()>& body);

} // namespace holdfast::test
