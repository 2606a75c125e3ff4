#include <holdfast/error.hpp>

namespace holdfast {

namespace {

const char* sentence(errc code) noexcept {
    switch (code) {
    case errc::invalid_option: return "an option is out of range or contradicts another";
    case errc::invalid_name: return "a name must have 1 to 512 bytes";
    case errc::invalid_url: return "the engine's URL cannot be understood";
    case errc::unsupported: return "this engine cannot do that";
    case errc::wrong_primitive: return "the name is in use by another kind of lock";
    case errc::wrong_limit: return "the name is in use by a semaphore with another limit";
    case errc::unavailable: return "the engine cannot be reached";
    case errc::unknown_outcome: return "the answer was lost: it may or may not have happened";
    case errc::cancelled: return "cancelled";
    case errc::lost: return "the lease was lost";
    case errc::not_held: return "not held by the caller";
    case errc::would_deadlock:
        return "this thread holds this lock already: use recursive_mutex, or pass the hold on";
    case errc::forked: return "made before fork(): inert in the child";
    case errc::store_full: return "no room left where the locks live";
    case errc::store_foreign: return "what is stored there is not Holdfast's";
    case errc::store_damaged: return "the file is damaged";
    case errc::store_forbidden: return "the store may not be opened or written";
    case errc::store_unsuitable: return "locks cannot work where the file lies";
    case errc::store_replaced: return "the file was moved or removed while in use";
    case errc::limit_reached: return "a limit was reached";
    case errc::stale_token: return "a newer token has been seen";
    case errc::internal: return "internal error";
    }
    return "unknown error";
}

class holdfast_category final : public std::error_category {
public:
    [[nodiscard]] const char* name() const noexcept override { return "holdfast"; }
    [[nodiscard]] std::string message(int code) const override {
        return sentence(static_cast<errc>(code));
    }
    /// So that `failure == std::errc::permission_denied` works where std has a word for it.
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

namespace {

/// std puts a colon between the two; one that ends with the colon of a URL has it.
std::string without_last_colon(std::string detail) {
    if (detail.ends_with(':')) { detail.pop_back(); }
    return detail;
}

} // namespace

// The detail comes first and the code's own sentence last, as std::system_error puts them.
error::error(std::error_code code, const std::string& detail)
    : std::system_error{code, without_last_colon(detail)} {}
error::error(errc code, const std::string& detail) : error{make_error_code(code), detail} {}
error::~error() = default;

} // namespace holdfast
