// What clients send per hand-off. Neither commandstats nor total_commands_processed tell: both also
// count what scripts call. MONITOR tells them apart.

#include "redis/figures.hpp"
#include "redis/waiters.hpp"
#include "redis/wire.hpp"

#include <array>
#include <future>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <sys/socket.h>
#include <thread>

namespace holdfast::bench::redis {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view begin_mark = "holdfast-bench-begin";
constexpr std::string_view end_mark = "holdfast-bench-end";

/// Reads what MONITOR tells, line by line, without hiredis: there is a lot of it.
class monitor {
public:
    explicit monitor(std::uint16_t port) : to_{port} { to_.ask({"MONITOR"}); }

    /// How many commands clients sent between the marks.
    std::uint64_t count() {
        bool counting = false;
        std::uint64_t out = 0;
        for (;;) {
            const auto line = next_line();
            if (line.find(begin_mark) != std::string_view::npos) {
                counting = true;
            } else if (line.find(end_mark) != std::string_view::npos) {
                return out;
            } else if (counting && !by_script(line)) {
                ++out;
            }
        }
    }

private:
    /// `+1700000000.123456 [0 lua] "GET" ...`; for a client's there is an address.
    static bool by_script(std::string_view line) {
        const auto bracket = line.find('[');
        return line.substr(bracket, line.find(']') - bracket).ends_with(" lua");
    }

    std::string_view next_line() {
        for (;;) {
            if (const auto end = unread_.find("\r\n", at_); end != std::string::npos) {
                const auto line = std::string_view{unread_}.substr(at_, end - at_);
                at_ = end + 2;
                return line;
            }
            unread_.erase(0, at_);
            at_ = 0;
            std::array<char, 65'536> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init)
            const auto count = ::recv(to_.descriptor(), buffer.data(), buffer.size(), 0);
            if (count <= 0) { throw std::runtime_error{"MONITOR ended"}; }
            unread_.append(buffer.data(), static_cast<std::size_t>(count));
        }
    }

    wire to_;
    std::string unread_;
    std::size_t at_ = 0;
};

std::uint64_t total(const crowd& all) {
    const auto taken = all.taken();
    return std::accumulate(taken.begin(), taken.end(), std::uint64_t{0});
}

double per_hand_off(seconds window, std::size_t size, const server& at) {
    wire control{at.port()};
    control.ask({"FLUSHALL"});
    crowd all{size, manner::looping, our_waiters(at)};
    all.go();
    std::this_thread::sleep_for(window / 2);
    monitor watch{at.port()};
    auto counted = std::async(std::launch::async, [&watch] { return watch.count(); });
    control.ask({"ECHO", begin_mark});
    const auto before = total(all);
    std::this_thread::sleep_for(window);
    const auto taken = total(all) - before;
    control.ask({"ECHO", end_mark});
    const auto sent = counted.get();
    all.stop();
    return static_cast<double>(sent) / static_cast<double>(taken);
}

} // namespace

std::vector<result> commands_per_hand_off(const stage& on, std::size_t size) {
    constexpr double bar = 3;
    place(placement::unpinned, on.at.pid());
    result out{.name = std::to_string(size) + " waiters, commands per hand-off",
               .unit = "commands",
               .ours = {per_hand_off(on.crowd_window(size), size, on.at)},
               .bar = bar,
               .at_most = true};
    return {std::move(out)};
}

} // namespace holdfast::bench::redis
