// check_history [OPTION...] FILE...: reads the files as one history and prints its violations.
// Exit code: 0 clean, 1 violations, 2 unreadable or misused.

#include "history/checker.hpp"
#include "history/parser.hpp"
#include "history/report.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <iostream>
#include <iterator>

namespace {

using namespace holdfast::history;

constexpr std::string_view usage =
    R"(usage: check_history [OPTION...] FILE...
  --fifo            grants must follow the order of the requests
  --counter         accepted writes of a name must count up by one
  --starvation MS   how long a request may wait once the lock was free or granted to others
  --loss MS         how late lost() may fire
exit code: 0 clean, 1 violations, 2 unreadable
)";

struct usage_error {
    std::string text{};
};

std::chrono::milliseconds parse_milliseconds(std::string_view option, std::string_view text) {
    std::int64_t count{};
    const auto* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, count);
    constexpr std::int64_t most = 86'400'000;
    if (result.ec != std::errc{} || result.ptr != end || count < 0 || count > most) {
        throw usage_error{std::string{option} + " needs milliseconds, at most a day"};
    }
    return std::chrono::milliseconds{count};
}

struct arguments {
    check_options options{};
    std::vector<std::string> files{};
};

arguments read_arguments(const std::vector<std::string>& words) {
    arguments result;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto& word = words[i];
        const auto value = [&] {
            if (++i == words.size()) { throw usage_error{word + " needs a value"}; }
            return parse_milliseconds(word, words[i]);
        };
        if (word == "--fifo") {
            result.options.fifo = true;
        } else if (word == "--counter") {
            result.options.counter = true;
        } else if (word == "--starvation") {
            result.options.starvation_bound = value();
        } else if (word == "--loss") {
            result.options.loss_notice = value();
        } else if (word.starts_with("--")) {
            throw usage_error{"unknown option " + word};
        } else {
            result.files.push_back(word);
        }
    }
    if (result.files.empty()) { throw usage_error{"no file named"}; }
    return result;
}

int check_files(const arguments& given) {
    std::vector<event> events;
    std::size_t torn = 0;
    bool readable = true;
    for (const auto& file : given.files) {
        auto read = parse_file(file);
        for (const auto& e : read.errors) {
            std::cerr << file << ':' << e.line << ": " << e.message << '\n';
            readable = false;
        }
        torn += read.torn;
        std::move(read.events.begin(), read.events.end(), std::back_inserter(events));
    }
    if (events.empty()) {
        std::cerr << "no events: an empty history proves nothing\n";
        return 2;
    }
    const auto found = check(events, given.options);
    const auto all = summarise(events);
    print(std::cout, found);
    print(std::cout, all);
    std::cout << torn << " torn lines\n";
    if (torn > all.kills) {
        std::cerr << "more torn lines than kills: some writer failed\n";
        readable = false;
    }
    std::cout << (found.empty() ? "clean\n" : "NOT clean\n");
    if (!readable) { return 2; }
    return found.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return check_files(read_arguments({argv + 1, argv + argc}));
    } catch (const usage_error& problem) {
        std::cerr << "check_history: " << problem.text << '\n' << usage;
    } catch (const std::exception& problem) {
        std::cerr << "check_history: " << problem.what() << '\n';
    }
    return 2;
}
