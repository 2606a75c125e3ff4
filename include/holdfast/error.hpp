#pragma once

#include <holdfast/export.hpp>

#include <stdexcept>
#include <string>
#include <system_error>

namespace holdfast {

/// What can go wrong. Append only: a value never changes its meaning or its number, so that numbers
/// in old logs stay readable. docs/errors.md says for each when it happens and what to do.
///
/// Contention is not an error: if someone else holds the lock the result is `false` or an empty
/// optional.
enum class errc {
    invalid_option = 1,    ///< an option is out of range or contradicts another; the text names it
    invalid_name = 2,      ///< a lock's name is empty or longer than 512 bytes
    invalid_url = 3,       ///< the engine's URL cannot be parsed; the text names the part
    unsupported = 4,       ///< this engine or layout does not have the feature
    wrong_primitive = 5,   ///< the name is in use by another kind of lock
    wrong_limit = 6,       ///< the name is in use by a semaphore with another limit
    unavailable = 7,       ///< the engine could not be reached in time: see client_options
    unknown_outcome = 8,   ///< no reply came: the operation may or may not have happened
    cancelled = 9,         ///< the stop_token cancelled the wait
    lost = 10,             ///< the lease ended before it was released
    not_held = 11,         ///< the caller does not hold the lock
    would_deadlock = 12,   ///< the calling thread holds this lock already
    forked = 13,           ///< the client or lease was made before fork(); it is inert here
    store_full = 14,       ///< no space left where the locks are stored
    store_foreign = 15,    ///< the file or key is not Holdfast's, or a newer Holdfast's
    store_damaged = 16,    ///< the file is damaged
    store_forbidden = 17,  ///< no permission for the file, or the server refuses this user
    store_unsuitable = 18, ///< locks cannot work on that file system, e.g. on a network
    store_replaced = 19,   ///< the file was moved or removed while in use
    limit_reached = 20,    ///< a stated limit, e.g. the length of a queue
    stale_token = 21,      ///< a fence has seen a newer token
    internal = 22,         ///< a defect of Holdfast; please report it
    no_quorum = 23,        ///< too few nodes of a quorum answered; the text has each node's vote
};

/// The name of an error, e.g. "unavailable".
[[nodiscard]] HOLDFAST_API const char* to_string(errc code) noexcept;

/// The category of every `errc`; its name is "holdfast".
[[nodiscard]] HOLDFAST_API const std::error_category& category() noexcept;

/// Makes `std::error_code failure = errc::lost;` work.
[[nodiscard]] HOLDFAST_API std::error_code make_error_code(errc code) noexcept;

/// What the throwing forms throw. `code()` is in `category()`; `what()` is one sentence that says
/// what happened, where, and what to do.
///
/// Thread safety: as for std::system_error; copying does not throw.
class HOLDFAST_API error : public std::system_error {
public:
    /// An empty message means the general one of the code.
    error(std::error_code code, const std::string& message);
    error(errc code, const std::string& message);
    ~error() override;
    error(const error&) = default;
    error(error&&) = default;
    error& operator=(const error&) = default;
    error& operator=(error&&) = default;

    /// The message, without the text of the category that std::system_error appends.
    [[nodiscard]] const char* what() const noexcept override;

private:
    std::runtime_error message_; // a string whose copies do not throw
};

} // namespace holdfast

template <>
struct std::is_error_code_enum<holdfast::errc> : std::true_type {};
