#pragma once
// The argument of a script that names an owner.

#include "holdfast/base/ids.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::engine::redis {

/// A bulk whose text is kept: from one request of a client to the next only the owner's number
/// differs, and an instant at the beginning, which the caller writes.
///
/// Thread safety: none.
class owner_argument {
public:
    explicit owner_argument(const base::client_id& client) noexcept : client_{client} {}

    /// What stands before the owner and after it.
    void set(std::string_view before, std::string_view after);
    /// Appends the bulk, and returns where its text begins in `out`. REQUIRES: set() was called.
    char* append(std::string& out, const base::owner_id& owner) const;

private:
    const base::client_id client_;
    std::string bulk_;         ///< for number 0 of this client
    std::size_t text_at_ = 0;  ///< behind the length
    std::size_t owner_at_ = 0; ///< in the text
};

} // namespace holdfast::engine::redis
