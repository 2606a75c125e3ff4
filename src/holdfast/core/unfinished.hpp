#pragma once
// Releases and withdrawals that the engine has not confirmed.

#include "holdfast/drive/participant.hpp"

#include <string>

namespace holdfast::core {

/// A release without a reply is repeated after a pause. An acquire of the same name must not find
/// that hold in its way, so the release is repeated before the acquire is sent.
///
/// An intrusive list: it allocates nothing, because nothing here may fail. It is short: it has
/// members only while the engine does not answer.
///
/// Thread safety: none; used during a turn of the driver.
class unfinished {
public:
    /// A member of its owner. Leaves the list when it is destroyed.
    class entry {
    public:
        entry(drive::participant& owner, const std::string& name) noexcept
            : owner_{owner}, name_{name} {}
        entry(const entry&) = delete;
        entry& operator=(const entry&) = delete;
        ~entry() { unlink(); }

    private:
        friend class unfinished;
        void unlink() noexcept;

        drive::participant& owner_;
        const std::string& name_;
        unfinished* list_ = nullptr; ///< null: in none
        entry* before_ = nullptr;
        entry* after_ = nullptr;
    };

    unfinished() = default;
    unfinished(const unfinished&) = delete;
    unfinished& operator=(const unfinished&) = delete;
    ~unfinished();

    void set(entry& member, bool is_unfinished) noexcept;
    /// Before an acquire of this name is sent.
    void send_all(const std::string& name, base::instant now) noexcept;

private:
    entry* first_ = nullptr;
};

} // namespace holdfast::core
