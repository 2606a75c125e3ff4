#pragma once
// The list of releases and withdrawals that the engine has not confirmed.

#include "holdfast/drive/participant.hpp"

#include <string>

namespace holdfast::core {

/// A release without a reply is resent after a pause. A new acquire of the same name must not wait
/// for that hold, so the release is resent before the acquire is sent.
///
/// An intrusive list, so that adding a member cannot fail. It has members only while the engine
/// does not answer, so it is short.
///
/// Thread safety: none; used during a turn of the driver.
class unfinished_list {
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
        friend class unfinished_list;
        void unlink() noexcept {
            if (list_ != nullptr) { leave(); }
        }
        void leave() noexcept;

        drive::participant& owner_;
        const std::string& name_;
        unfinished_list* list_ = nullptr; ///< null: in no list
        entry* previous_ = nullptr;
        entry* next_ = nullptr;
    };

    unfinished_list() = default;
    unfinished_list(const unfinished_list&) = delete;
    unfinished_list& operator=(const unfinished_list&) = delete;
    ~unfinished_list();

    void set(entry& member, bool is_unfinished) noexcept {
        if (!is_unfinished) { return member.unlink(); }
        if (member.list_ == nullptr) { add(member); }
    }
    /// Called before an acquire of this name is sent.
    void resend_all(const std::string& name, base::instant now) noexcept {
        if (first_ != nullptr) { resend(name, now); }
    }

private:
    void add(entry& member) noexcept;
    void resend(const std::string& name, base::instant now) noexcept;

    entry* first_ = nullptr;
};

} // namespace holdfast::core
