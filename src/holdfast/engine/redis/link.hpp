#pragma once
// A connection that is made again whenever it breaks.

#include "holdfast/engine/redis/backoff.hpp"
#include "holdfast/engine/redis/session.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace holdfast::engine::redis {

/// Thread safety: none.
class link {
public:
    using greeter = std::function<session::greeting()>;

    link(const place& where, greeter greet);

    enum class change : std::uint8_t { none, ready, ended };

    /// Begins, or begins anew when it is time, or at once. Does nothing while a session lives, nor
    /// before `drive` or `take` has told that it ended.
    enum class when : std::uint8_t { due, at_once };
    void open(base::instant now, when start = when::due);
    /// Does what `ready` says can be done, if it is about this link. What changed by it, told once.
    change drive(std::span<const pollfd> ready, base::instant now, const session::listener& hear);
    /// After bytes were read from `plain_descriptor` by others.
    change take(std::span<const char> bytes, base::instant now, const session::listener& hear);
    void break_off(std::error_code code, std::string detail);

    [[nodiscard]] bool ready() const noexcept {
        return session_ && session_->now_in() == session::state::ready;
    }
    /// The session, also one that has just ended: for as long as it is not opened anew.
    [[nodiscard]] session* now() const noexcept { return session_.get(); }
    /// Whether the last attempt has failed, and the next is still to come.
    [[nodiscard]] bool down() const noexcept { return opened_ && !living(); }
    /// Whether the session that ended last had been of use before.
    [[nodiscard]] bool was_ready() const noexcept { return told_ready_; }
    [[nodiscard]] std::error_code code() const noexcept { return code_; } ///< of the last failure
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }

    void pollables(std::vector<pollfd>& out) const;
    [[nodiscard]] base::instant due() const noexcept;

private:
    [[nodiscard]] bool living() const noexcept {
        return session_ && session_->now_in() != session::state::ended;
    }
    [[nodiscard]] change look(base::instant now);

    const place& where_;
    greeter greet_;
    std::unique_ptr<session> session_;
    backoff wait_;
    base::instant retry_ = base::never;
    bool opened_ = false;
    bool told_ready_ = false;
    bool told_ended_ = false;
    std::error_code code_;
    std::string detail_;
};

} // namespace holdfast::engine::redis
