#include "holdfast/engine/redis/op_target.hpp"

#include <variant>

namespace holdfast::engine::redis {

namespace {

constexpr lock_format as_the_url_says;
constexpr lock_format native{holdfast::layout::native, {}};

template <typename Op>
op_target find_target(const Op& op) noexcept {
    if constexpr (requires { op.ticket; }) {
        return {&op.ticket.format, op.ticket.name};
    } else {
        return {&op.format, op.name};
    }
}
op_target find_target(const list_op& op) noexcept { return {&op.format, {}}; }
op_target find_target(const diagnose_op& /*op*/) noexcept { return {&native, {}}; }
op_target find_target(const join_op& /*op*/) noexcept { return {&as_the_url_says, {}}; }
op_target find_target(const beat_op& op) noexcept {
    if (op.items.empty()) { return {&as_the_url_says, {}}; }
    return find_target(op.items.front());
}
op_target find_target(const acquire_set_op& op) noexcept {
    if (op.items.empty()) { return {&as_the_url_says, {}}; }
    return find_target(op.items.front());
}
op_target find_target(const release_set_op& op) noexcept {
    if (op.items.empty()) { return {&as_the_url_says, {}}; }
    return find_target(op.items.front());
}
} // namespace

op_target target_of(const op& op) noexcept {
    return std::visit([](const auto& each) { return find_target(each); }, op);
}

} // namespace holdfast::engine::redis
