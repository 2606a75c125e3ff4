#pragma once
// The holds of the calling thread, and its number.

#include "holdfast/core/lock_id.hpp"

#include <cstdint>
#include <memory>

namespace holdfast::core {

class client_core;
class hold;

/// A number for the calling thread that no other thread of the process ever has. A std::thread::id
/// is reused: a later thread would inherit the holds.
[[nodiscard]] std::uint64_t this_thread() noexcept;

/// Registers a hold of the calling thread. If the thread ends before `forget_hold`, renewal stops
/// and the observer receives an event. If it throws, nothing has changed.
/// Does nothing in a thread whose thread_local objects are being destroyed.
void watch_hold(const std::shared_ptr<client_core>& core, const lock_id& lock,
                const std::shared_ptr<hold>& held);
void forget_hold(const hold* held) noexcept;

/// The calling thread's hold of this lock, through any object of this client; null if it has none,
/// or if it is not valid any more.
[[nodiscard]] std::shared_ptr<hold> held_by_this_thread(const client_core& core,
                                                        const lock_id& lock) noexcept;

} // namespace holdfast::core
