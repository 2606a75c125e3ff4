#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/wait_limit.hpp>
#include <holdfast/export.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

namespace holdfast {

/// What an election is made with.
struct election_options {
    /// How long a leader that crashed stays in office. 100 ms to 24 h.
    std::chrono::milliseconds lease{std::chrono::seconds{10}};

    /// Safety margin: valid() turns false and lost() is signalled this long before another can
    /// lead: see lock_options::margin.
    std::chrono::milliseconds margin{0};

    /// For people who inspect the lock `election:NAME`. At most 256 bytes.
    std::string note{};
};

/// Who leads, as the engine knows it.
struct leader_state {
    std::uint64_t term = 0; ///< 0: nobody leads
    std::string value{};    ///< what the leader has published
    std::string owner{};    ///< the owner's id of its lease

    bool operator==(const leader_state&) const = default;
};

/// One term of office. Move-only; the destructor resigns.
///
/// Thread safety: as for lease; publish() may be called from any thread as well.
class HOLDFAST_API leadership {
public:
    /// Leads nothing.
    leadership() noexcept;
    leadership(leadership&& other) noexcept;
    leadership& operator=(leadership&& other) noexcept; ///< resigns from what it led
    leadership(const leadership&) = delete;
    leadership& operator=(const leadership&) = delete;

    /// Resigns. Waits for 400 ms at most; failures go to the observer.
    ~leadership();

    /// Whether it has a term: true also after a loss, false after resign().
    [[nodiscard]] explicit operator bool() const noexcept { return body_ != nullptr; }

    /// The number of the term: higher than that of every earlier leader. It is the fencing token:
    /// send it along with each write, and let the store refuse lower ones. 0 if empty.
    [[nodiscard]] std::uint64_t term() const noexcept;

    /// Whether no one else can lead at this instant. Reads the clock; never blocks.
    [[nodiscard]] bool valid() const noexcept;

    /// How long valid() stays true without another renewal; 0 if it is false.
    [[nodiscard]] std::chrono::milliseconds remaining() const noexcept;

    /// Stop is requested when the term is lost, which is before another can lead, but not by
    /// resign(). Throws not_held if empty, limit_reached if the system refuses a thread.
    [[nodiscard]] std::stop_token lost() const;

    /// Why the term was lost; empty if it was not.
    [[nodiscard]] std::optional<loss> why_lost() const noexcept;

    /// Publishes a value, at most 65,536 bytes, for election::leader(). Fails with lost if the term
    /// is over: a late value never replaces that of a newer leader. Throws not_held if empty.
    void publish(std::string value);
    bool publish(std::string value, std::error_code& failure);

    /// Ends the term and leaves this object empty; the next candidate leads at once.
    release_answer resign();
    release_answer resign(std::error_code& failure);

private:
    friend class election;
    class body;
    explicit leadership(std::unique_ptr<body> content) noexcept;
    std::unique_ptr<body> body_;
};

/// Leader election across processes: one candidate at a time leads, for a term.
///
///     holdfast::election scheduler{fleet, "scheduler"};
///     while (running) {
///         auto term = scheduler.campaign("10.0.0.7:8080");
///         std::stop_callback stop{term.lost(), [&] { plan.stop(); }};
///         plan.run(term.term());
///     }
///
/// The leader holds the mutex `election:NAME`, so all that docs/safety.md promises of a lease holds
/// of a term: two leaders are never valid() at once, and terms rise strictly. Candidates are served
/// in the order in which they came.
///
/// Errors and thread safety: as for latch.
class HOLDFAST_API election {
public:
    /// Throws invalid_name, invalid_option or unsupported; does no I/O.
    election(const client& client, std::string name, election_options options = {});
    election(const election&) = delete;
    election& operator=(const election&) = delete;
    ~election();

    /// Waits until this candidate leads, and publishes `value`. With a std::error_code the result
    /// is empty if it failed.
    [[nodiscard]] leadership campaign(std::string value = {}, const wait_options& options = {});
    [[nodiscard]] leadership campaign(std::string value, const wait_options& options,
                                      std::error_code& failure);

    /// Makes one attempt. Empty if someone else leads.
    [[nodiscard]] std::optional<leadership> try_campaign(std::string value = {});
    [[nodiscard]] std::optional<leadership> try_campaign(std::string value,
                                                         std::error_code& failure);

    /// Waits for a duration at most. Empty if someone else led all the time, or if stopped.
    template <class Rep, class Period>
    [[nodiscard]] std::optional<leadership>
    try_campaign_for(const std::chrono::duration<Rep, Period>& wait, const std::string& value = {},
                     const wait_options& options = {}) {
        return campaign_at_most(detail::wait_limit::from(wait), value, options, nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<leadership>
    try_campaign_for(const std::chrono::duration<Rep, Period>& wait, const std::string& value,
                     const wait_options& options, std::error_code& failure) {
        return campaign_at_most(detail::wait_limit::from(wait), value, options, &failure);
    }

    /// For a leader that acquired the mutex `election:NAME` itself: publishes a value for the term
    /// of this lease, once. False if it failed: with lost if the lease was lost.
    bool publish(const lease& held, std::string value, std::error_code& failure) const;

    /// Who leads now, and what it has published.
    [[nodiscard]] leader_state leader() const;
    [[nodiscard]] leader_state leader(std::error_code& failure) const;

    /// Waits until leader() would return something else than `known`, and returns that. The engine
    /// pushes changes; a leader that crashed is noticed within a second after its lease.
    [[nodiscard]] leader_state wait_for_change(const leader_state& known,
                                               const wait_options& options = {}) const;
    [[nodiscard]] leader_state wait_for_change(const leader_state& known,
                                               const wait_options& options,
                                               std::error_code& failure) const;

    /// Waits for a duration at most; then, or if stopped, returns `known`.
    template <class Rep, class Period>
    [[nodiscard]] leader_state wait_for_change_for(const leader_state& known,
                                                   const std::chrono::duration<Rep, Period>& wait,
                                                   const wait_options& options = {}) const {
        return change_at_most(known, detail::wait_limit::from(wait), options, nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] leader_state
    wait_for_change_for(const leader_state& known, const std::chrono::duration<Rep, Period>& wait,
                        const wait_options& options, std::error_code& failure) const {
        return change_at_most(known, detail::wait_limit::from(wait), options, &failure);
    }

    /// Calls `callback` with the present leader and after each change, on this thread, until a stop
    /// is requested. While the engine cannot be reached it tries again.
    void observe(const std::stop_token& stop,
                 const std::function<void(const leader_state&)>& callback) const;

    /// The name that the election was made with.
    [[nodiscard]] const std::string& name() const noexcept;

private:
    [[nodiscard]] std::optional<leadership> campaign_at_most(detail::wait_limit wait,
                                                             std::string value,
                                                             const wait_options& options,
                                                             std::error_code* failure);
    [[nodiscard]] leader_state change_at_most(const leader_state& known, detail::wait_limit wait,
                                              const wait_options& options,
                                              std::error_code* failure) const;

    class body;
    std::shared_ptr<body> body_;
};

} // namespace holdfast
