#include "cli/guarded.hpp"

#include <sstream>

namespace holdfast::test {

words worker(shape shape) {
    const std::string work = "while :; do echo $HOLDFAST_TOKEN >> tokens; sleep 0.005; done";
    const std::string wait = "sleep 1000";
    switch (shape) {
    case shape::plain: return {"sh", "-c", work};
    case shape::grandchild: return {"sh", "-c", "sh -c '" + work + "' & " + wait};
    case shape::own_session: return {"sh", "-c", "setsid sh -c '" + work + "' & " + wait};
    case shape::deaf: return {"sh", "-c", "trap '' HUP INT QUIT TERM USR1 USR2; " + work};
    case shape::double_forked: return {"sh", "-c", "(sh -c '" + work + "' &); " + wait};
    case shape::daemon:
        return {"sh", "-c",
                "(setsid sh -c 'trap : TERM; " + work +
                    "' &); until grep -q $HOLDFAST_TOKEN tokens; do sleep 0.01; done"};
    }
    return {};
}

running guarded::contend(shape shape, const words& options) {
    words all = options;
    all.insert(all.end(), {"x", "--"});
    const auto command = worker(shape);
    all.insert(all.end(), command.begin(), command.end());
    return start(all);
}

std::vector<std::uint64_t> guarded::tokens() const {
    std::vector<std::uint64_t> out;
    std::istringstream lines{here.content("tokens")};
    for (std::uint64_t one = 0; lines >> one;) { out.push_back(one); }
    return out;
}

std::uint64_t guarded::token_above(std::uint64_t floor, milliseconds within) const {
    std::uint64_t found = 0;
    const bool came = eventually(
        [&] {
            const auto all = tokens();
            found = all.empty() ? 0 : all.back();
            return found > floor;
        },
        within);
    return came ? found : 0;
}

bool guarded::goes_on() const {
    const auto before = tokens();
    return eventually([&] {
        const auto now = tokens();
        return now.size() >= before.size() + 5 && now.back() == before.back();
    });
}

std::string guarded::violation() const {
    std::uint64_t highest = 0;
    std::size_t line = 0;
    for (const auto one : tokens()) {
        ++line;
        if (one < highest) {
            return "line " + std::to_string(line) + ": " + std::to_string(one) + " after " +
                   std::to_string(highest);
        }
        highest = one;
    }
    return {};
}

} // namespace holdfast::test
