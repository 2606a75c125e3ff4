#pragma once

#include <holdfast/export.hpp>

#include <cstdint>
#include <string>
#include <system_error>

namespace holdfast {

/// Something that happened to a lease while nobody was waiting for an answer.
struct event {
    /// Append only.
    enum class kind {
        lost,              ///< a lease ended before it was released; `detail` says why
        renewal_failed,    ///< a renewal had no good answer; it is tried again while time remains
        renewal_recovered, ///< the first good renewal after that
        release_failed,    ///< unlock() or a destructor had no good answer; it ends with the lease
        unlock_after_loss, ///< unlock() of a lease that was lost: nothing was done
        unlock_not_held,   ///< unlock() by a thread that holds nothing: nothing was done
        thread_exited,     ///< a thread ended while holding a mutex; it is renewed no more
        withdraw_failed,   ///< a given-up wait may stay queued until its heartbeat runs out
    };
    kind type{};
    std::string name{};
    std::string owner{};
    std::uint64_t token = 0; ///< 0 where there was none
    std::error_code error{};
    std::string detail{};
};

/// Derive from it to hear of events, e.g. to log or count them, and hand it to the client in
/// client_options. Thread safety: called on a thread of the client's, one event at a time, never
/// while a lock of Holdfast's is held; it may call Holdfast. A slow observer delays later events,
/// but no renewal, no loss signal and no caller.
class HOLDFAST_API observer {
public:
    observer() = default;
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    virtual ~observer();
    virtual void on_event(const event& event) noexcept = 0;
};

/// The word for an event, e.g. "renewal_failed".
[[nodiscard]] HOLDFAST_API const char* to_string(event::kind type) noexcept;

} // namespace holdfast
