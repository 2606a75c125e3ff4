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

class script {
public:
    script& ask(stamp at, const std::string& owner, requested what = {}) {
        what.name = the_name;
        what.owner = owner;
        return add(at, owner, what);
    }
    script& ask_shared(stamp at, const std::string& owner) {
        return ask(at, owner, {.mode = mode::shared});
    }
    script& ask_permits(stamp at, const std::string& owner, unsigned n, unsigned limit) {
        return ask(at, owner, {.mode = mode::permits, .n = n, .limit = limit});
    }
    script& grant(stamp at, const std::string& owner, std::uint64_t token, stamp until) {
        return add(at, owner, granted{name(), owner, token, start + until});
    }
    script& renew(stamp at, const std::string& owner, stamp until) {
        return add(at, owner, renewed{name(), owner, start + until});
    }
    script& release(stamp at, const std::string& owner) {
        return add(at, owner, released{name(), owner});
    }
    script& lose(stamp at, const std::string& owner) { return add(at, owner, lost{name(), owner}); }
    script& give_up(stamp at, const std::string& owner) {
        return add(at, owner, gave_up{name(), owner, reason::timeout});
    }
    script& write(stamp at, const std::string& owner, std::uint64_t token, bool accepted = true) {
        return add(at, owner, wrote{name(), owner, token, accepted});
    }
    script& slow_write(stamp begun, stamp at, const std::string& owner, std::uint64_t token) {
        return add(at, owner, wrote{name(), owner, token, true, start + begun});
    }
    script& count(stamp at, const std::string& owner, std::int64_t value) {
        return add(at, owner, wrote{name(), owner, 1, true, {}, value});
    }
    script& slow_count(stamp begun, stamp at, const std::string& owner, std::uint64_t token,
                       std::int64_t value) {
        return add(at, owner, wrote{name(), owner, token, true, start + begun, value});
    }
    script& stop(const std::string& owner, stamp from, stamp to) {
        return add(to, "test", resumed{owner[0], start + from, start + to});
    }
    script& kill(const std::string& owner, stamp sent) {
        return add(sent + 1ms, "test", killed{owner[0], start + sent});
    }
    script& break_it(stamp at, std::uint64_t token = 0) {
        return add(at, "test", broken{name(), token, {}});
    }
    /// Something unrelated, so that the history goes on until then.
    script& end(stamp at) { return add(at, "test", resumed{-1, start, start}); }

    /// A whole hold, exclusive, asked for at the moment it is granted.
    script& hold(const std::string& owner, std::uint64_t token, stamp from, stamp until) {
        return ask(from, owner).grant(from, owner, token, until);
    }

    script& add(stamp at, const std::string& owner, happening happening) {
        events.push_back({start + at, owner[0], 1, owner, std::move(happening)});
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
