#pragma once
// Writes small histories by hand, for one name. An owner's first letter is its process: "a" and
// "a2" belong to pid 'a'. All times count from one second after boot, so that zero stays "not
// given".

#include "history/checker.hpp"
#include "history/report.hpp"

#include <gmock/gmock.h>

namespace holdfast::history {

inline std::ostream& operator<<(std::ostream& out, rule r) { return out << to_string(r); }

namespace testing {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

inline constexpr stamp start = 1s;
inline constexpr std::string_view the_name = "stock:1001";

class history_script {
public:
    history_script& ask(stamp at, const std::string& owner, requested request = {}) {
        request.name = the_name;
        request.owner = owner;
        return add(at, owner, request);
    }
    history_script& ask_shared(stamp at, const std::string& owner) {
        return ask(at, owner, {.mode = mode::shared});
    }
    history_script& ask_permits(stamp at, const std::string& owner, unsigned n, unsigned limit) {
        return ask(at, owner, {.mode = mode::permits, .n = n, .limit = limit});
    }
    history_script& grant(stamp at, const std::string& owner, std::uint64_t token, stamp until) {
        return add(at, owner, granted{name(), owner, token, start + until});
    }
    history_script& renew(stamp at, const std::string& owner, stamp until) {
        return add(at, owner, renewed{name(), owner, start + until});
    }
    history_script& release(stamp at, const std::string& owner) {
        return add(at, owner, released{name(), owner});
    }
    history_script& lose(stamp at, const std::string& owner) {
        return add(at, owner, lost{name(), owner});
    }
    history_script& give_up(stamp at, const std::string& owner) {
        return add(at, owner, gave_up{name(), owner, reason::timeout});
    }
    history_script& write(stamp at, const std::string& owner, std::uint64_t token,
                          bool accepted = true) {
        return add(at, owner, wrote{name(), owner, token, accepted});
    }
    history_script& slow_write(stamp begun, stamp at, const std::string& owner,
                               std::uint64_t token) {
        return add(at, owner, wrote{name(), owner, token, true, start + begun});
    }
    history_script& count(stamp at, const std::string& owner, std::int64_t value) {
        return add(at, owner, wrote{name(), owner, 1, true, {}, value});
    }
    history_script& slow_count(stamp begun, stamp at, const std::string& owner, std::uint64_t token,
                               std::int64_t value) {
        return add(at, owner, wrote{name(), owner, token, true, start + begun, value});
    }
    history_script& stop(const std::string& owner, stamp from, stamp to) {
        return add(to, "test", resumed{owner[0], start + from, start + to});
    }
    history_script& kill(const std::string& owner, stamp sent) {
        return add(sent + 1ms, "test", killed{owner[0], start + sent});
    }
    history_script& break_lock(stamp at, std::uint64_t token = 0) {
        return add(at, "test", broken{name(), token, {}});
    }
    /// Something unrelated, so that the history goes on until then.
    history_script& end(stamp at) { return add(at, "test", resumed{-1, start, start}); }

    /// A whole hold, exclusive, asked for at the moment it is granted.
    history_script& hold(const std::string& owner, std::uint64_t token, stamp from, stamp until) {
        return ask(from, owner).grant(from, owner, token, until);
    }

    history_script& add(stamp at, const std::string& owner, event_type type) {
        events.push_back({start + at, owner[0], 1, owner, std::move(type)});
        return *this;
    }

    [[nodiscard]] std::vector<rule> found(const check_options& options = {}) const {
        std::vector<rule> rules;
        for (const auto& v : check(events, options)) { rules.push_back(v.broken_rule); }
        return rules;
    }

    std::vector<event> events{};

private:
    static std::string name() { return std::string{the_name}; }
};

} // namespace testing
} // namespace holdfast::history
