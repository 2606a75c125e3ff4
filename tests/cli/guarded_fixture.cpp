#include "cli/guarded_fixture.hpp"

#include <sstream>

namespace holdfast::test {

words worker_words(worker_kind kind) {
    const std::string work = "while :; do echo $HOLDFAST_TOKEN >> tokens; sleep 0.005; done";
    const std::string wait = "sleep 1000";
    switch (kind) {
    case worker_kind::plain: return {"sh", "-c", work};
    case worker_kind::grandchild: return {"sh", "-c", "sh -c '" + work + "' & " + wait};
    case worker_kind::own_session: return {"sh", "-c", "setsid sh -c '" + work + "' & " + wait};
    case worker_kind::ignores_signals:
        return {"sh", "-c", "trap '' HUP INT QUIT TERM USR1 USR2; " + work};
    case worker_kind::double_forked: return {"sh", "-c", "(sh -c '" + work + "' &); " + wait};
    case worker_kind::daemon:
        return {"sh", "-c",
                "(setsid sh -c 'trap : TERM; " + work +
                    "' &); until grep -q $HOLDFAST_TOKEN tokens; do sleep 0.01; done"};
    }
    return {};
}

running_command guarded::start_worker(worker_kind kind, const words& options) {
    words all = options;
    all.insert(all.end(), {"x", "--"});
    const auto command = worker_words(kind);
    all.insert(all.end(), command.begin(), command.end());
    return start(all);
}

std::vector<std::uint64_t> guarded::tokens() const {
    std::vector<std::uint64_t> out;
    std::istringstream lines{sandbox_.content("tokens")};
    for (std::uint64_t token = 0; lines >> token;) { out.push_back(token); }
    return out;
}

std::uint64_t guarded::token_above(std::uint64_t floor, milliseconds within) const {
    std::uint64_t found = 0;
    const bool in_time = eventually(
        [&] {
            const auto all = tokens();
            found = all.empty() ? 0 : all.back();
            return found > floor;
        },
        within);
    return in_time ? found : 0;
}

bool guarded::keeps_writing() const {
    const auto before = tokens();
    return eventually([&] {
        const auto after = tokens();
        return after.size() >= before.size() + 5 && after.back() == before.back();
    });
}

std::string guarded::violation() const {
    std::uint64_t highest = 0;
    std::size_t line = 0;
    for (const auto token : tokens()) {
        ++line;
        if (token < highest) {
            return "line " + std::to_string(line) + ": " + std::to_string(token) + " after " +
                   std::to_string(highest);
        }
        highest = token;
    }
    return {};
}

} // namespace holdfast::test
