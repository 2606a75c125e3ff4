#include "holdfast/engine/redis/node/server_clock.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"

namespace holdfast::engine::redis {

namespace {

/// Rates of clocks differ by up to 1 % (P1): after this time the error is at most 0.1 s.
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
    learned_ = now; // one request is enough
    requests.enqueue(*this, 0, nullptr, now,
                     [](std::string& out) { append_command(out, {"TIME"}); });
}

} // namespace holdfast::engine::redis
