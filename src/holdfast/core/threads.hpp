#pragma once
// Holds that belong to a thread, as a locked mutex does.

#include <cstdint>
#include <memory>

namespace holdfast::core {

class client_core;
class hold;

/// A number for the calling thread that no other thread of the process ever has: unlike
/// std::thread::id, which the next thread may inherit together with our locks.
[[nodiscard]] std::uint64_t this_thread() noexcept;

/// If the calling thread ends before `forget_hold`, the hold is renewed no more and the observer
/// is told.
void watch_hold(const std::shared_ptr<client_core>& core, const std::shared_ptr<hold>& what);
void forget_hold(const hold* what) noexcept;

} // namespace holdfast::core
