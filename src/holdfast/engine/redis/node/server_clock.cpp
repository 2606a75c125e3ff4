#include "holdfast/engine/redis/node/server_clock.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"

namespace holdfast::engine::redis {

namespace {

/// Clocks may differ by 1 % (P1): by then it is off by a tenth of a second at most.
constexpr std::chrono::seconds good_for{10};

} // namespace

bool server_clock::learn(const reply& time, base::instant sent, base::instant now) noexcept {
    constexpr std::int64_t us_per_second = 1'000'000;
    if (time.size() != 2) { return false; }
    learn(time.number(0) * us_per_second + time.number(1), sent, now);
    return true;
}

void server_clock::refresh(pipeline& requests, base::instant now) {
    if (now < base::later(learned_, good_for)) { return; }
    learned_ = now; // once is enough
    requests.enqueue(*this, 0, nullptr, now,
                     [](std::string& out) { append_command(out, {"TIME"}); });
}

} // namespace holdfast::engine::redis
