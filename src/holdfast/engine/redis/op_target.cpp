#include "holdfast/engine/redis/op_target.hpp"

#include <variant>

namespace holdfast::engine::redis {

namespace {

constexpr lock_format as_the_url_says;
constexpr lock_format native{holdfast::layout::native, {}};

struct target {
    const lock_format* format;
    std::string_view name;
};

template <typename Op>
target target_of(const Op& op) noexcept {
    if constexpr (requires { op.ticket; }) {
        return {&op.ticket.format, op.ticket.name};
    } else {
        return {&op.format, op.name};
    }
}
target target_of(const list_op& op) noexcept { return {&op.format, {}}; }
target target_of(const diagnose_op& /*op*/) noexcept { return {&native, {}}; }
target target_of(const beat_op& op) noexcept {
    if (op.items.empty()) { return {&as_the_url_says, {}}; }
    return target_of(op.items.front());
}
target target_of(const op& op) noexcept {
    return std::visit([](const auto& each) { return target_of(each); }, op);
}

} // namespace

const lock_format& format_of(const op& op) noexcept { return *target_of(op).format; }

std::string_view name_of(const op& op) noexcept { return target_of(op).name; }

} // namespace holdfast::engine::redis
