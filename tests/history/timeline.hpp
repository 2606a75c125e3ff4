#pragma once
// A history in order: the requests and holds of each name. The rules read this.

#include "history/checker.hpp"

#include <map>
#include <unordered_map>

namespace holdfast::history {

/// From `from` on and before `to`: a lease is valid up to N but not at N, so the next may begin
/// there.
struct time_span {
    stamp from{};
    stamp to{};
};

struct hold {
    const event* request_event{};
    const event* grant{};
    std::vector<const event*> renewals{};
    const event* release{};
    const event* loss{};
    stamp died{never};        ///< when the kill was sent
    stamp broken_from{never}; ///< when an operator broke it
    std::vector<time_span> valid{};

    [[nodiscard]] const requested& request() const {
        return std::get<requested>(request_event->type);
    }
    [[nodiscard]] const granted& given() const { return std::get<granted>(grant->type); }
    [[nodiscard]] std::uint64_t token() const { return given().token; }
    /// False if the lease had run out, been broken or its holder been killed when it was recorded:
    /// such a grant may be recorded long after it was made, so its stamp says nothing about order.
    [[nodiscard]] bool valid_at_grant() const {
        return !valid.empty() && valid.front().from == grant->at;
    }
    /// The N that counted last, as far as recorded.
    [[nodiscard]] stamp last_valid_until() const;
};

struct request {
    const event* request_event{};
    std::size_t held{no_hold}; ///< index into name_line::holds
    stamp until{never};        ///< granted, gave up or died; never: still waiting at the end

    static constexpr std::size_t no_hold = static_cast<std::size_t>(-1);
    [[nodiscard]] const requested& details() const {
        return std::get<requested>(request_event->type);
    }
};

/// The events of one name, each list in order of its stamps.
struct name_line {
    std::string name{};
    std::vector<request> requests{};
    std::vector<hold> holds{};
    std::vector<const event*> writes{};
    std::vector<const event*> breaks{};
};

struct process_line {
    std::vector<time_span> stops{};
    std::vector<const event*> kills{};

    /// When the process that was alive at `since` was killed.
    [[nodiscard]] stamp death_after(stamp since) const;
};

struct timeline {
    std::map<std::string, name_line> names{};
    std::unordered_map<int, process_line> processes{};
    stamp begin{};
    stamp end{};
    std::size_t kills{};
    std::vector<violation> incoherent{};

    [[nodiscard]] const process_line& process(int pid) const;
};

/// The timeline points into `events`, which must outlive it.
[[nodiscard]] timeline arrange(const std::vector<event>& events);

} // namespace holdfast::history
