#include "holdfast/api/failure.hpp"

namespace holdfast::api {

std::string message(std::error_code code, const std::string& subject, const std::string& detail) {
    if (detail.empty()) { return subject + ": " + code.message(); }
    const char* const doubt =
        code == errc::unknown_outcome ? "; the operation may or may not have happened" : "";
    return subject + ": " + detail + doubt;
}

void fail(std::error_code* failure, std::error_code code, const std::string& subject,
          const std::string& detail) {
    if (failure == nullptr) { throw error{code, message(code, subject, detail)}; }
    *failure = code;
}

} // namespace holdfast::api
