#include <holdfast/error.hpp>

namespace holdfast {

namespace {

const char* sentence(errc code) noexcept {
    switch (code) {
    case errc::invalid_option:
        return "an option is out of range or contradicts another; correct it";
    case errc::invalid_name: return "the lock's name is empty or too long; use 1 to 512 bytes";
    case errc::invalid_url: return "the engine's URL cannot be parsed; correct it";
    case errc::unsupported:
        return "this engine or layout does not have the feature; use another one";
    case errc::wrong_primitive:
        return "the name is in use by another kind of lock; use a name for one kind only";
    case errc::wrong_limit:
        return "the name is in use by a semaphore with another limit; all users need the same";
    case errc::unavailable: return "the engine cannot be reached; try again later";
    case errc::unknown_outcome: return "no reply came; the operation may or may not have happened";
    case errc::cancelled: return "the wait was cancelled; nothing is held";
    case errc::lost: return "the lease was lost; stop the work and acquire the lock again";
    case errc::not_held: return "the caller does not hold the lock; lock it first";
    case errc::would_deadlock:
        return "this thread holds the lock already; use recursive_mutex, or pass the hold on";
    case errc::forked: return "it was made before fork(); make a new client in the child process";
    case errc::store_full: return "no space is left where the locks are stored; make room";
    case errc::store_foreign: return "the file or key is not Holdfast's; use another one";
    case errc::store_damaged: return "the file is damaged; move it away, and a new one is made";
    case errc::store_forbidden:
        return "there is no permission to use the store; grant it to this user";
    case errc::store_unsuitable: return "locks cannot work on that file system; use a local disk";
    case errc::store_replaced:
        return "the file was moved or removed while in use; locks in it may be gone";
    case errc::limit_reached: return "a limit was reached; reduce the load or raise the limit";
    case errc::stale_token: return "a newer token has been seen; stop the work";
    case errc::internal: return "this is a defect of Holdfast; please report it";
    case errc::no_quorum: return "too few nodes of the quorum answered; try again later";
    }
    return "unknown error";
}

class holdfast_category final : public std::error_category {
public:
    [[nodiscard]] const char* name() const noexcept override { return "holdfast"; }
    [[nodiscard]] std::string message(int code) const override {
        return sentence(static_cast<errc>(code));
    }
    /// Makes `failure == std::errc::permission_denied` work for the errors that std has, too.
    [[nodiscard]] std::error_condition default_error_condition(int code) const noexcept override {
        switch (static_cast<errc>(code)) {
        case errc::invalid_option:
        case errc::invalid_name:
        case errc::invalid_url: return std::errc::invalid_argument;
        case errc::unsupported: return std::errc::not_supported;
        case errc::cancelled: return std::errc::operation_canceled;
        case errc::would_deadlock: return std::errc::resource_deadlock_would_occur;
        case errc::store_full: return std::errc::no_space_on_device;
        case errc::store_forbidden: return std::errc::permission_denied;
        default: return {code, *this};
        }
    }
};

} // namespace

const std::error_category& category() noexcept {
    static const holdfast_category the_category;
    return the_category;
}

std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), category()}; }

const char* to_string(errc code) noexcept {
    switch (code) {
    case errc::invalid_option: return "invalid_option";
    case errc::invalid_name: return "invalid_name";
    case errc::invalid_url: return "invalid_url";
    case errc::unsupported: return "unsupported";
    case errc::wrong_primitive: return "wrong_primitive";
    case errc::wrong_limit: return "wrong_limit";
    case errc::unavailable: return "unavailable";
    case errc::unknown_outcome: return "unknown_outcome";
    case errc::cancelled: return "cancelled";
    case errc::lost: return "lost";
    case errc::not_held: return "not_held";
    case errc::would_deadlock: return "would_deadlock";
    case errc::forked: return "forked";
    case errc::store_full: return "store_full";
    case errc::store_foreign: return "store_foreign";
    case errc::store_damaged: return "store_damaged";
    case errc::store_forbidden: return "store_forbidden";
    case errc::store_unsuitable: return "store_unsuitable";
    case errc::store_replaced: return "store_replaced";
    case errc::limit_reached: return "limit_reached";
    case errc::stale_token: return "stale_token";
    case errc::internal: return "internal";
    case errc::no_quorum: return "no_quorum";
    }
    return "unknown";
}

error::error(std::error_code code, const std::string& message)
    : std::system_error{code}, message_{message.empty() ? code.message() : message} {}
error::error(errc code, const std::string& message) : error{make_error_code(code), message} {}
error::~error() = default;

const char* error::what() const noexcept { return message_.what(); }

} // namespace holdfast
