#include "process/arena.hpp"

#include "history/parse.hpp"
#include "history/report.hpp"
#include "holdfast/engine/factory.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace holdfast::test {

namespace {

std::filesystem::path new_folder() {
    std::string path = (std::filesystem::temp_directory_path() / "holdfast-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) { throw std::runtime_error{"cannot make " + path}; }
    return path;
}

engine::capabilities caps_of(const std::string& url) {
    return engine::make_engine(engine::url::parse(url), engine::this_process())
        ->caps(primitive::mutex);
}

} // namespace

std::vector<engine_under_test> shared_engines() {
    auto all = engines();
    // Layouts that others share say neither who holds nor who waits; layouts_killed_test is theirs.
    std::erase_if(all, [](const engine_under_test& one) {
        return !one.across_processes || one.dead_url.find("layout=") != std::string::npos;
    });
    return all;
}

arena::arena(const engine_under_test& engine)
    : folder_{new_folder()},
      store_{engine.make_store()},
      events_{folder_ / "history", "test"},
      guarded_{folder_ / "guarded"},
      counter_{folder_ / "counter"},
      frees_dead_at_once_{caps_of(store_->url()).frees_dead_at_once},
      fifo_{caps_of(store_->url()).fifo},
      here_{store_->url()} {}

arena::~arena() { std::filesystem::remove_all(folder_); }

std::unique_ptr<taker_process> arena::start(std::vector<std::string> flags) {
    const std::vector<std::string> place{
        "--url",     store_->url(),       "--label", "taker-" + std::to_string(++started_),
        "--history", folder_ / "history", "--store", folder_ / "guarded",
        "--counter", folder_ / "counter"};
    flags.insert(flags.begin(), place.begin(), place.end());
    return std::make_unique<taker_process>(events_, std::move(flags));
}

milliseconds arena::time_to_get() {
    const stopwatch watch;
    if (!try_for(long_wait)) { throw std::runtime_error{"nobody lets go of the lock"}; }
    return watch.elapsed();
}

bool arena::waits(const taker_process& process) {
    const auto info = admin{here_}.inspect(name);
    return info && std::ranges::any_of(info->waiters,
                                       [&](const party& one) { return one.pid == process.pid(); });
}

bool arena::holds(const taker_process& process) {
    const auto info = admin{here_}.inspect(name);
    return info && std::ranges::any_of(info->holders,
                                       [&](const party& one) { return one.pid == process.pid(); });
}

std::size_t arena::waiting() {
    const auto info = admin{here_}.inspect(name);
    return info ? info->waiters.size() : 0;
}

std::size_t arena::waiting_in_the_end() {
    if (!frees_dead_at_once_) {
        // P8: a crashed one is gone 3 s after it was last heard of.
        static_cast<void>(
            eventually([this] { return waiting() == 0; }, engine::waiter_timeout + scaled(1s)));
    }
    return waiting();
}

void arena::stop(taker_process& process) {
    for (int tries = 0; tries < 100; ++tries) {
        process.stop();
        mutex other{here_, "is anybody in a transaction?"};
        std::error_code failure;
        const auto got = other.try_acquire_for(100ms, {}, failure);
        if (got) { return; }
        process.go_on();
        std::this_thread::sleep_for(2ms);
    }
    throw std::runtime_error{"it is always in a transaction"};
}

std::string arena::wrong_with_history(history::check_options options) const {
    // Tests run beside others: whoever is told late was not scheduled.
    options.loss_notice += scaled(500ms);
    options.loss_notice_after_stop += scaled(500ms);
    options.fifo = fifo_;
    options.fifo_tolerance = scaled(500ms);
    options.starvation_bound = 2 * long_wait;
    const auto all = history::parse_file(folder_ / "history");
    if (!all.errors.empty()) {
        return "line " + std::to_string(all.errors.front().line) +
               " of the history: " + all.errors.front().message;
    }
    const auto found = history::check(all.events, options);
    const auto killed = std::ranges::count_if(all.events, [](const history::event& one) {
        return std::holds_alternative<history::killed>(one.type);
    });
    if (all.torn > static_cast<std::size_t>(killed)) { return "the history has torn lines"; }
    return found.empty() ? std::string{} : history::describe(all.events, found);
}

std::vector<history::event> arena::history_so_far() const {
    return history::parse_file(folder_ / "history").events;
}

std::optional<history::stamp> arena::loss_of(const taker_process& process) const {
    for (const auto& one : history_so_far()) {
        const auto* loss = std::get_if<history::lost>(&one.type);
        if (loss != nullptr && one.pid == process.pid()) { return history::fired_at(one, *loss); }
    }
    return std::nullopt;
}

std::string arena::wrong_with_store() const {
    const std::string scheme = "embedded:";
    if (!store_->url().starts_with(scheme)) { return {}; }
    sqlite3* file = nullptr;
    const auto path = store_->url().substr(scheme.size());
    std::string said = "it cannot be opened";
    if (sqlite3_open_v2(path.c_str(), &file, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
        sqlite3_busy_timeout(file, 5000);
        sqlite3_exec(
            file, "PRAGMA integrity_check",
            [](void* out, int, char** columns, char**) {
                *static_cast<std::string*>(out) = columns[0];
                return 0;
            },
            &said, nullptr);
    }
    sqlite3_close(file);
    return said == "ok" ? std::string{} : said;
}

} // namespace holdfast::test
