#include "holdfast/api/failure.hpp"

namespace holdfast::api {

void fail(std::error_code* failure, std::error_code code, const std::string& detail) {
    if (failure == nullptr) { throw error{code, detail}; }
    *failure = code;
}

} // namespace holdfast::api
