#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/acquire_names.hpp>
#include <holdfast/export.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace holdfast {

namespace core {
class hold;
class hold_set;
} // namespace core

/// The holds of several names, as one: all of them are valid, or the set is lost. Returned by
/// acquire_all(). Move-only; the destructor releases.
///
///     auto both = holdfast::acquire_all(fleet, {"account:17", "account:4"});
///     ledger.move(both.token("account:17"), both.token("account:4"));
///
/// As soon as one name is lost, the set is lost, and the library releases the others. Otherwise it
/// is as a lease.
///
/// Thread safety: valid(), remaining(), token(), tokens(), owner(), names(), lost() and why_lost()
/// may be called from any thread at any time, as long as no other thread moves or destroys the
/// object.
/// After fork() a set is inert in the child: it is not valid, and its destructor does nothing.
class HOLDFAST_API lease_set {
public:
    /// Holds nothing.
    lease_set() noexcept;
    lease_set(lease_set&& other) noexcept;
    lease_set& operator=(lease_set&& other) noexcept; ///< releases what it held
    lease_set(const lease_set&) = delete;
    lease_set& operator=(const lease_set&) = delete;

    /// Releases all names, with one request where the engine can. Waits for the reply, but for 200
    /// ms at most; then the release continues in the background. Failures go to the observer.
    ~lease_set();

    /// Whether it has holds: true also after a loss, false after release().
    [[nodiscard]] explicit operator bool() const noexcept { return set_ != nullptr; }

    /// Whether no one else can hold any of the names at this instant. Reads the clock; never
    /// blocks.
    [[nodiscard]] bool valid() const noexcept;

    /// How long valid() stays true without another renewal; 0 if it is false.
    [[nodiscard]] std::chrono::milliseconds remaining() const noexcept;

    /// How many names it holds, and which, in order and each once.
    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] std::vector<std::string> names() const;

    /// The fencing token of a name: see lease::token(). Throws not_held if the set is empty or does
    /// not have the name, unsupported if the engine or layout has no tokens.
    [[nodiscard]] std::uint64_t token(std::string_view name) const;

    /// All names with their tokens. Throws as token() does.
    [[nodiscard]] std::map<std::string, std::uint64_t> tokens() const;

    /// The owner's id of a name: see lease::owner(). Throws not_held as token() does.
    [[nodiscard]] std::string owner(std::string_view name) const;

    /// Stop is requested when the set is lost, but not when it is released. Callbacks run on a
    /// thread of the library. Throws limit_reached if the system refuses that thread.
    [[nodiscard]] std::stop_token lost() const;

    /// Why the first name was lost; empty if the set is not lost.
    [[nodiscard]] std::optional<loss> why_lost() const noexcept;

    /// Makes each lease and its renewals last `duration`, counted from now, as lease::extend()
    /// does. If it fails, some of the names may have been extended.
    void extend(std::chrono::milliseconds duration);
    void extend(std::chrono::milliseconds duration, std::error_code& failure);

    /// Releases all names and leaves this set empty, as lease::release() does: already_lost if the
    /// set was lost before.
    release_answer release();
    release_answer release(std::error_code& failure);

private:
    friend struct detail::access;

    lease_set(std::shared_ptr<core::client_core> core,
              std::shared_ptr<core::hold_set> set) noexcept;
    [[nodiscard]] const core::hold& find(std::string_view name, const char* call) const;
    void release_in_background() noexcept;

    std::shared_ptr<core::client_core> core_; // destroyed after set_, which uses it
    std::shared_ptr<core::hold_set> set_;
};

/// Acquires mutexes of several names: all of them, or none. Waits until it has them. With a
/// std::error_code the set is empty if it failed.
///
/// The order of the names does not matter, and a name that occurs twice counts once. There is no
/// deadlock between calls of acquire_all() and lock_all(): if all names are free and nobody waits
/// for them, one request takes them where one server has them all; otherwise the call waits for one
/// after the other in the order of the names, first come, first served where the engine can, and
/// keeps those that it has. A call that fails or gives up holds nothing.
///
/// Errors as for mutex; 1 to 64 names, or it fails with invalid_option. Leases do not belong to
/// threads: a thread that holds one of the names waits for itself.
[[nodiscard]] inline lease_set acquire_all(const client& client, std::vector<std::string> names,
                                           const acquire_options& options = {}) {
    return *detail::acquire_names(client, std::move(names), detail::wait_limit::unlimited(),
                                  options, nullptr);
}
[[nodiscard]] inline lease_set acquire_all(const client& client, std::vector<std::string> names,
                                           std::error_code& failure) {
    auto set = detail::acquire_names(client, std::move(names), detail::wait_limit::unlimited(), {},
                                     &failure);
    return set ? std::move(*set) : lease_set{};
}
[[nodiscard]] inline lease_set acquire_all(const client& client, std::vector<std::string> names,
                                           const acquire_options& options,
                                           std::error_code& failure) {
    auto set = detail::acquire_names(client, std::move(names), detail::wait_limit::unlimited(),
                                     options, &failure);
    return set ? std::move(*set) : lease_set{};
}

/// Makes one attempt. Empty if someone else holds one of the names, or waits for it.
[[nodiscard]] inline std::optional<lease_set> try_acquire_all(const client& client,
                                                              std::vector<std::string> names,
                                                              const acquire_options& options = {}) {
    return detail::acquire_names(client, std::move(names), detail::wait_limit::none(), options,
                                 nullptr);
}
[[nodiscard]] inline std::optional<lease_set>
try_acquire_all(const client& client, std::vector<std::string> names, std::error_code& failure) {
    return detail::acquire_names(client, std::move(names), detail::wait_limit::none(), {},
                                 &failure);
}
[[nodiscard]] inline std::optional<lease_set> try_acquire_all(const client& client,
                                                              std::vector<std::string> names,
                                                              const acquire_options& options,
                                                              std::error_code& failure) {
    return detail::acquire_names(client, std::move(names), detail::wait_limit::none(), options,
                                 &failure);
}

/// Waits for a duration at most. Empty if not all names became free in time, or if stopped.
template <class Rep, class Period>
[[nodiscard]] std::optional<lease_set>
try_acquire_all_for(const client& client, const std::vector<std::string>& names,
                    const std::chrono::duration<Rep, Period>& wait,
                    const acquire_options& options = {}) {
    return detail::acquire_names(client, names, detail::wait_limit::from(wait), options, nullptr);
}
template <class Rep, class Period>
[[nodiscard]] std::optional<lease_set>
try_acquire_all_for(const client& client, const std::vector<std::string>& names,
                    const std::chrono::duration<Rep, Period>& wait, std::error_code& failure) {
    return detail::acquire_names(client, names, detail::wait_limit::from(wait), {}, &failure);
}
template <class Rep, class Period>
[[nodiscard]] std::optional<lease_set>
try_acquire_all_for(const client& client, const std::vector<std::string>& names,
                    const std::chrono::duration<Rep, Period>& wait, const acquire_options& options,
                    std::error_code& failure) {
    return detail::acquire_names(client, names, detail::wait_limit::from(wait), options, &failure);
}

/// Waits until a point in time at most. Empty if not all names became free in time, or if stopped.
template <class Clock, class Duration>
[[nodiscard]] std::optional<lease_set>
try_acquire_all_until(const client& client, const std::vector<std::string>& names,
                      const std::chrono::time_point<Clock, Duration>& deadline,
                      const acquire_options& options = {}) {
    return detail::acquire_names(client, names, detail::wait_limit::until(deadline), options,
                                 nullptr);
}
template <class Clock, class Duration>
[[nodiscard]] std::optional<lease_set>
try_acquire_all_until(const client& client, const std::vector<std::string>& names,
                      const std::chrono::time_point<Clock, Duration>& deadline,
                      std::error_code& failure) {
    return detail::acquire_names(client, names, detail::wait_limit::until(deadline), {}, &failure);
}
template <class Clock, class Duration>
[[nodiscard]] std::optional<lease_set>
try_acquire_all_until(const client& client, const std::vector<std::string>& names,
                      const std::chrono::time_point<Clock, Duration>& deadline,
                      const acquire_options& options, std::error_code& failure) {
    return detail::acquire_names(client, names, detail::wait_limit::until(deadline), options,
                                 &failure);
}

} // namespace holdfast
