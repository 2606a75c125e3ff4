#pragma once
// Runs a piece of a test in a child made by fork() alone, with no exec: a library must survive it.

#include <functional>
#include <string>

namespace holdfast::test {

/// What `body` found wrong there; empty: nothing. The child ends by _exit, so that neither exit
/// handlers nor destructors of the parent's objects run in it. A child that hangs is killed.
[[nodiscard]] std::string in_child(const std::function<std::string()>& body);

} // namespace holdfast::test
