#pragma once
// The body of a leadership: its lease, and the cell that has its value.

#include "holdfast/api/cell_object.hpp"

#include <holdfast/election.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace holdfast {

namespace api {

/// Writes a value of this term; the higher `order` of a term wins. False with a failure only.
[[nodiscard]] bool publish_value(const cell_object& cell, const lease& held, std::uint64_t order,
                                 std::string value, detail::wait_limit wait,
                                 std::error_code* failure);

} // namespace api

class leadership::body {
public:
    body(const api::cell_object& cell, lease&& held)
        : cell_{cell}, held_{std::move(held)}, term_{held_.token()} {}

    [[nodiscard]] const lease& held() const noexcept { return held_; }
    [[nodiscard]] lease& held() noexcept { return held_; }
    [[nodiscard]] std::uint64_t term() const noexcept { return term_; }

    /// False with a failure only.
    [[nodiscard]] bool publish(std::string value, detail::wait_limit wait,
                               std::error_code* failure) {
        const auto order = last_order_.fetch_add(1) + 1;
        return api::publish_value(cell_, held_, order, std::move(value), wait, failure);
    }
    /// After the lock was released: observers are notified, and find it so.
    void erase(detail::wait_limit wait) const noexcept;

private:
    api::cell_object cell_;
    lease held_;
    std::uint64_t term_;
    std::atomic<std::uint64_t> last_order_{0};
};

} // namespace holdfast
