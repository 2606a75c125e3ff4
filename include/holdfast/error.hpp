#pragma once

#include <holdfast/export.hpp>

#include <string>
#include <system_error>

namespace holdfast {

/// What can go wrong. Append only: a value never changes its meaning or its number, so that a
/// number in an old log still tells the truth. docs/errors.md says of each what to do next.
///
/// Contention is not here: a lock that somebody else holds is `false` or an empty optional.
enum class errc {
    invalid_option = 1,    ///< an option is out of range or contradicts another; the text names it
    invalid_name = 2,      ///< a lock's name is empty or longer than 512 bytes
    invalid_url = 3,       ///< the engine's URL cannot be understood; the text names the part
    unsupported = 4,       ///< this engine cannot do what was asked
    wrong_primitive = 5,   ///< the name is in use by another kind of lock
    wrong_limit = 6,       ///< the name is in use by a semaphore with another limit
    unavailable = 7,       ///< the engine could not be reached in time: see client_options
    unknown_outcome = 8,   ///< the answer was lost: it may or may not have happened
    cancelled = 9,         ///< the stop_token asked for it
    lost = 10,             ///< the lease ended before it was released
    not_held = 11,         ///< the caller holds nothing there
    would_deadlock = 12,   ///< this thread holds this lock already
    forked = 13,           ///< the client or lease was made before fork(); it is inert here
    store_full = 14,       ///< no room left where the locks live
    store_foreign = 15,    ///< the file or key is something else's, or a newer Holdfast's
    store_damaged = 16,    ///< the file is damaged
    store_forbidden = 17,  ///< the file may not be used, or the server refuses this user
    store_unsuitable = 18, ///< the file lies where locks cannot work, e.g. on a network
    store_replaced = 19,   ///< the file was moved or removed while in use
    limit_reached = 20,    ///< a stated limit, e.g. the length of a queue
    stale_token = 21,      ///< a fence saw a newer token
    internal = 22,         ///< a fault of Holdfast's own; please report it
};

/// The category of every `errc`; its name is "holdfast".
[[nodiscard]] HOLDFAST_API const std::error_category& category() noexcept;

/// Makes `std::error_code ec = errc::lost;` work.
[[nodiscard]] HOLDFAST_API std::error_code make_error_code(errc code) noexcept;

/// What the throwing forms throw. `code()` is in `category()`; `what()` says in a sentence what is
/// wrong, where, and what to do.
class HOLDFAST_API error : public std::system_error {
public:
    error(std::error_code code, const std::string& detail);
    error(errc code, const std::string& detail);
    ~error() override;
    error(const error&) = default;
    error(error&&) = default;
    error& operator=(const error&) = default;
    error& operator=(error&&) = default;
};

} // namespace holdfast

template <>
struct std::is_error_code_enum<holdfast::errc> : std::true_type {};
