// compiled alone
#include "holdfast/api/leadership.hpp"

#include "holdfast/api/failure.hpp"

namespace holdfast {

using action = engine::cell_op::action_kind;

namespace {

/// Above that of every value of a term, and below 2^53.
constexpr std::uint64_t erase_order = std::uint64_t{1} << 52U;

constexpr std::chrono::milliseconds destructor_wait{200};

error not_leading(const char* function) {
    return {errc::not_held,
            std::string{"leadership: "} + function + " of an empty one; campaign() first"};
}

} // namespace

bool api::publish_value(const cell_object& cell, const lease& held, std::uint64_t order,
                        std::string value, detail::wait_limit wait, std::error_code* failure) {
    clear(failure);
    const auto over = [&] {
        fail(failure, make_error_code(errc::lost), cell.text,
             "this term is over; stop the work, and campaign again");
        return false;
    };
    // In a child of fork() the lease is not valid either, and the request fails with forked.
    if (!held.valid() && !cell.core->inherited()) { return over(); }
    if (value.size() > limits::value_bytes) {
        fail(failure, make_error_code(errc::limit_reached), cell.text,
             "the value has " + std::to_string(value.size()) + " bytes; the most is " +
                 std::to_string(limits::value_bytes));
        return false;
    }
    auto op = cell.op(action::write);
    op.token = held.token();
    op.order = order;
    op.value = std::move(value);
    op.keep = limits::longest_hold; // of a leader that was killed, and whom nobody followed
    const auto result = cell.run({std::move(op), {}, wait}, {}, stop_policy::fails, failure);
    if (result.failure) { return false; }
    // Not applied with its own token: another thread has published later.
    return result.cell->token == held.token() || over();
}

void leadership::body::erase(detail::wait_limit wait) const noexcept {
    try {
        auto op = cell_.op(action::erase);
        op.token = term_;
        op.order = erase_order;
        std::error_code ignored; // observers compare the value's term with that of the lock
        (void)cell_.run({std::move(op), {}, wait}, {}, api::stop_policy::fails, &ignored);
    } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): likewise
    }
}

leadership::leadership() noexcept = default;
leadership::leadership(std::unique_ptr<body> content) noexcept : body_{std::move(content)} {}
leadership::leadership(leadership&& other) noexcept = default;

leadership& leadership::operator=(leadership&& other) noexcept {
    leadership former{std::move(*this)};
    body_ = std::move(other.body_);
    return *this;
}

leadership::~leadership() {
    if (body_ == nullptr) { return; }
    body_->held() = lease{}; // releases
    // Also of a term that was lost: nobody may have followed.
    body_->erase(detail::wait_limit::from(destructor_wait));
}

std::uint64_t leadership::term() const noexcept { return body_ == nullptr ? 0 : body_->term(); }

bool leadership::valid() const noexcept { return body_ != nullptr && body_->held().valid(); }

std::chrono::milliseconds leadership::remaining() const noexcept {
    return body_ == nullptr ? std::chrono::milliseconds{0} : body_->held().remaining();
}

std::stop_token leadership::lost() const {
    if (body_ == nullptr) { throw not_leading("lost()"); }
    return body_->held().lost();
}

std::optional<loss> leadership::why_lost() const noexcept {
    return body_ == nullptr ? std::nullopt : body_->held().why_lost();
}

void leadership::publish(std::string value) {
    if (body_ == nullptr) { throw not_leading("publish()"); }
    (void)body_->publish(std::move(value), detail::wait_limit::unlimited(), nullptr);
}
bool leadership::publish(std::string value, std::error_code& failure) {
    if (body_ == nullptr) {
        failure = make_error_code(errc::not_held);
        return false;
    }
    return body_->publish(std::move(value), detail::wait_limit::unlimited(), &failure);
}

release_answer leadership::resign(std::error_code& failure) {
    failure.clear();
    if (body_ == nullptr) { return release_answer::already_lost; }
    const auto ended = std::exchange(body_, nullptr);
    const auto answer = ended->held().release(failure);
    if (!failure) { ended->erase(detail::wait_limit::from(destructor_wait)); }
    return answer;
}
release_answer leadership::resign() {
    std::error_code failure;
    const auto answer = resign(failure);
    if (failure) {
        throw error{failure, "leadership: resign(): " + failure.message() +
                                 "; the term ends with its lease at the latest"};
    }
    return answer;
}

} // namespace holdfast
