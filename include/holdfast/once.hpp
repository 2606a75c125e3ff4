#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/wait_limit.hpp>
#include <holdfast/export.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace holdfast {

/// What a once_flag is made with.
struct once_options {
    /// The engine forgets the result this long after the function has run: then the next call runs
    /// it again. 1 s to 365 days; 0: never.
    std::chrono::milliseconds keep{0};

    /// How long the others wait after the process that runs the function has crashed: its lease.
    std::chrono::milliseconds lease{std::chrono::seconds{30}};

    /// Safety margin of that lease: see lock_options::margin.
    std::chrono::milliseconds margin{0};
};

/// std::once_flag across processes, for call_once(): one process runs the function, all get its
/// result.
///
///     holdfast::once_flag migrated{fleet, "schema-7"};
///     const auto report = holdfast::call_once(migrated, [] { return migrate(); });
///
/// The process that runs the function holds the mutex `once:NAME`, with a lease. If it crashes, the
/// next one that waits runs the function: so it may run again after it has run in part, or even as
/// a whole if the process dies before the result is stored. If the lease is lost while the function
/// runs, another process may run it at the same time; the result of the newer one counts, and all
/// get that one.
///
/// Errors and thread safety: as for latch.
class HOLDFAST_API once_flag {
public:
    /// Throws invalid_name, invalid_option or unsupported; does no I/O.
    once_flag(const client& client, std::string name, once_options options = {});
    once_flag(const once_flag&) = delete;
    once_flag& operator=(const once_flag&) = delete;
    ~once_flag();

    /// The result, if the function has run. Makes one attempt to reach the engine.
    [[nodiscard]] std::optional<std::string> result() const;
    [[nodiscard]] std::optional<std::string> result(std::error_code& failure) const;

    /// Forgets the result: the next call runs the function again. Do not use it while one may run.
    void reset();
    bool reset(std::error_code& failure);

    /// The name that the flag was made with.
    [[nodiscard]] const std::string& name() const noexcept;

    /// For call_once() and its variants, which are easier to use.
    [[nodiscard]] std::optional<std::string>
    call(const std::function<std::string(const lease&)>& function, detail::wait_limit wait,
         const std::stop_token& stop, bool stop_fails, std::error_code* failure);

private:
    class body;
    std::unique_ptr<body> body_;
};

namespace detail {

/// A function that takes the lease and returns the result.
template <class Function>
[[nodiscard]] std::function<std::string(const lease&)> once_function(Function& function) {
    return [&function](const lease& held) -> std::string {
        const auto run = [&]() -> decltype(auto) {
            if constexpr (std::invocable<Function&, const lease&>) {
                return std::invoke(function, held);
            } else {
                static_cast<void>(held);
                return std::invoke(function);
            }
        };
        if constexpr (std::is_void_v<decltype(run())>) {
            run();
            return {};
        } else {
            return run();
        }
    };
}

} // namespace detail

/// Runs `function` if it has not run yet, in the whole fleet; otherwise waits for who runs it.
/// Returns its result: a string of at most 65,536 bytes, empty if it returns nothing. `function`
/// takes no argument, or the lease, whose lost() tells it to stop. An exception of `function` is
/// passed on, and a longer result fails with limit_reached; then the next process runs it again.
template <class Function>
std::string call_once(once_flag& flag, Function&& function, const wait_options& options = {}) {
    return flag
        .call(detail::once_function(function), detail::wait_limit::unlimited(), options.stop, true,
              nullptr)
        .value_or(std::string{});
}
template <class Function>
std::optional<std::string> call_once(once_flag& flag, Function&& function,
                                     const wait_options& options, std::error_code& failure) {
    return flag.call(detail::once_function(function), detail::wait_limit::unlimited(), options.stop,
                     true, &failure);
}

/// The same, but waits for a duration at most while another process runs the function. Empty if
/// that has not ended by then, or if stopped.
template <class Function, class Rep, class Period>
[[nodiscard]] std::optional<std::string>
try_call_once_for(once_flag& flag, const std::chrono::duration<Rep, Period>& wait,
                  Function&& function, const wait_options& options = {}) {
    return flag.call(detail::once_function(function), detail::wait_limit::from(wait), options.stop,
                     false, nullptr);
}
template <class Function, class Rep, class Period>
[[nodiscard]] std::optional<std::string>
try_call_once_for(once_flag& flag, const std::chrono::duration<Rep, Period>& wait,
                  Function&& function, const wait_options& options, std::error_code& failure) {
    return flag.call(detail::once_function(function), detail::wait_limit::from(wait), options.stop,
                     false, &failure);
}

} // namespace holdfast
