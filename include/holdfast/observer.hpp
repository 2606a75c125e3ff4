#pragma once

#include <holdfast/export.hpp>

#include <cstdint>
#include <string>
#include <system_error>

namespace holdfast {

/// Something that happened to a lease while no caller was waiting for a reply.
struct event {
    /// Append only.
    enum class kind {
        lost,              ///< a lease ended before it was released; `detail` says why
        renewal_failed,    ///< a renewal failed or had no reply; it is retried while time remains
        renewal_recovered, ///< the first successful renewal after that
        release_failed,    ///< the release of unlock() or a destructor failed or had no reply
        unlock_after_loss, ///< unlock() of a lease that was lost: nothing was done
        unlock_not_held,   ///< unlock() by a thread that holds nothing: nothing was done
        thread_exited,     ///< a thread ended while it held a mutex; renewal stops
        withdraw_failed,   ///< a cancelled wait may stay queued until its heartbeats expire
    };

    kind type{};
    std::string name{};      ///< of the lock
    std::string owner{};     ///< the owner's id; empty if there is none
    std::uint64_t token = 0; ///< 0 if there is none
    std::error_code error{}; ///< empty if nothing failed
    std::string detail{};    ///< one sentence for people
};

/// Receives events, e.g. to log or count them: derive from it and pass it to the client in
/// client_options::observer.
///
///     class counter : public holdfast::observer {
///         void on_event(const holdfast::event& event) noexcept override { ++counts[event.type]; }
///     };
///
/// Thread safety: the library calls it on a thread of the client, one event at a time, and holds no
/// lock of its own meanwhile; it may call Holdfast. A slow observer delays later events, but no
/// renewal, no loss signal and no caller.
class HOLDFAST_API observer {
public:
    observer() = default;
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    virtual ~observer();

    /// Called for each event, in order.
    virtual void on_event(const event& event) noexcept = 0;
};

/// The name of an event, e.g. "renewal_failed".
[[nodiscard]] HOLDFAST_API const char* to_string(event::kind type) noexcept;

} // namespace holdfast
