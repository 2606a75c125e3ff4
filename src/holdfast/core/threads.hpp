#pragma once
// Holds that belong to a thread, as a locked mutex does.

#include "holdfast/core/lock_id.hpp"

#include <cstdint>
#include <memory>

namespace holdfast::core {

class client_core;
class hold;

/// A number for the calling thread that no other thread of the process ever has: unlike
/// std::thread::id, which the next thread may inherit together with our locks.
[[nodiscard]] std::uint64_t this_thread() noexcept;

/// From now on the calling thread holds this lock. If the thread ends before `forget_hold`, the
/// hold is renewed no more and the observer is told. If it throws nothing has changed.
void watch_hold(const std::shared_ptr<client_core>& core, const lock_id& lock,
                const std::shared_ptr<hold>& held);
void forget_hold(const hold* held) noexcept;

/// The calling thread's hold of this lock, through whichever object of this client it was locked;
/// null: none, or not valid any more.
[[nodiscard]] std::shared_ptr<hold> held_by_this_thread(const client_core& core,
                                                        const lock_id& lock) noexcept;

} // namespace holdfast::core
