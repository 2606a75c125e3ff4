// The number of commands that clients send per hand-off, counted with MONITOR: commandstats and
// total_commands_processed also count the calls of scripts.

#include "redis/figures.hpp"
#include "redis/hiredis_connection.hpp"
#include "redis/waiters.hpp"

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

/// Reads the lines of MONITOR without hiredis, which is too slow for so many.
class command_counter {
public:
    explicit command_counter(std::uint16_t port) : connection_{port} {
        connection_.ask({"MONITOR"});
    }

    /// Counts the commands of clients between the two marks.
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
    /// `+1700000000.123456 [0 lua] "GET" ...`; a client's command has an address there.
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
            const auto count = ::recv(connection_.descriptor(), buffer.data(), buffer.size(), 0);
            if (count <= 0) { throw std::runtime_error{"MONITOR ended"}; }
            unread_.append(buffer.data(), static_cast<std::size_t>(count));
        }
    }

    hiredis_connection connection_;
    std::string unread_;
    std::size_t at_ = 0;
};

std::uint64_t total(const crowd& waiters) {
    const auto taken = waiters.taken();
    return std::accumulate(taken.begin(), taken.end(), std::uint64_t{0});
}

double per_hand_off(seconds window, std::size_t size, const server& server) {
    hiredis_connection control{server.port()};
    control.ask({"FLUSHALL"});
    crowd waiters{size, waiter_mode::looping, our_waiters(server)};
    waiters.go();
    std::this_thread::sleep_for(window / 2);
    command_counter counter{server.port()};
    auto counted = std::async(std::launch::async, [&counter] { return counter.count(); });
    control.ask({"ECHO", begin_mark});
    const auto before = total(waiters);
    std::this_thread::sleep_for(window);
    const auto taken = total(waiters) - before;
    control.ask({"ECHO", end_mark});
    const auto sent = counted.get();
    waiters.stop();
    return static_cast<double>(sent) / static_cast<double>(taken);
}

} // namespace

std::vector<result> commands_per_hand_off(const bench_setup& setup, std::size_t size) {
    constexpr double bar = 3;
    place(placement::unpinned, setup.server.pid());
    result out{.name = std::to_string(size) + " waiters, commands per hand-off",
               .unit = "commands",
               .ours = {per_hand_off(setup.crowd_window(size), size, setup.server)},
               .bar = bar,
               .at_most = true};
    return {std::move(out)};
}

} // namespace holdfast::bench::redis
