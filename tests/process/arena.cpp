#include "process/arena.hpp"

#include "history/parser.hpp"
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
    // Foreign layouts and quorums do not list their waiters; layouts_killed_test and
    // redlock_chaos_test cover them.
    std::erase_if(all, [](const engine_under_test& engine) {
        return !engine.across_processes || engine.dead_url.find("layout=") != std::string::npos ||
               engine.dead_url.starts_with("redlock:");
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
      own_client_{store_->url()} {}

arena::~arena() { std::filesystem::remove_all(folder_); }

std::unique_ptr<taker_process> arena::start(std::vector<std::string> flags) {
    const std::vector<std::string> common{
        "--url",     store_->url(),       "--label", "taker-" + std::to_string(++started_),
        "--history", folder_ / "history", "--store", folder_ / "guarded",
        "--counter", folder_ / "counter"};
    flags.insert(flags.begin(), common.begin(), common.end());
    return std::make_unique<taker_process>(events_, std::move(flags));
}

milliseconds arena::time_to_acquire() {
    const stopwatch watch;
    if (!try_for(long_wait)) { throw std::runtime_error{"the lock does not become free"}; }
    return watch.elapsed();
}

bool arena::is_waiting(const taker_process& process) {
    const auto info = admin{own_client_}.inspect(name);
    return info && std::ranges::any_of(info->waiters, [&](const party& party) {
               return party.pid == process.pid();
           });
}

bool arena::is_holding(const taker_process& process) {
    const auto info = admin{own_client_}.inspect(name);
    return info && std::ranges::any_of(info->holders, [&](const party& party) {
               return party.pid == process.pid();
           });
}

std::size_t arena::waiters() {
    const auto info = admin{own_client_}.inspect(name);
    return info ? info->waiters.size() : 0;
}

std::size_t arena::waiters_left() {
    if (!frees_dead_at_once_) {
        // P8: the engine drops a dead waiter 3 s after its last heartbeat.
        static_cast<void>(
            eventually([this] { return waiters() == 0; }, engine::waiter_timeout + scaled(1s)));
    }
    return waiters();
}

void arena::stop(taker_process& process) {
    for (int tries = 0; tries < 100; ++tries) {
        process.stop();
        mutex other{own_client_, "transaction probe"};
        std::error_code failure;
        const auto held = other.try_acquire_for(100ms, {}, failure);
        if (held) { return; }
        process.resume();
        std::this_thread::sleep_for(2ms);
    }
    throw std::runtime_error{"the process is always in a transaction"};
}

std::string arena::history_violations(history::check_options options) const {
    // Other tests run at the same time: a process may be scheduled late.
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
    const auto killed = std::ranges::count_if(all.events, [](const history::event& event) {
        return std::holds_alternative<history::killed>(event.type);
    });
    if (all.torn > static_cast<std::size_t>(killed)) { return "the history has torn lines"; }
    return found.empty() ? std::string{} : history::describe(all.events, found);
}

std::vector<history::event> arena::history_so_far() const {
    return history::parse_file(folder_ / "history").events;
}

std::optional<history::stamp> arena::loss_of(const taker_process& process) const {
    for (const auto& event : history_so_far()) {
        const auto* loss = std::get_if<history::lost>(&event.type);
        if (loss != nullptr && event.pid == process.pid()) {
            return history::fired_at(event, *loss);
        }
    }
    return std::nullopt;
}

std::string arena::store_damage() const {
    const std::string scheme = "embedded:";
    if (!store_->url().starts_with(scheme)) { return {}; }
    sqlite3* file = nullptr;
    const auto path = store_->url().substr(scheme.size());
    std::string result = "it cannot be opened";
    if (sqlite3_open_v2(path.c_str(), &file, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
        sqlite3_busy_timeout(file, 5000);
        sqlite3_exec(
            file, "PRAGMA integrity_check",
            [](void* out, int, char** columns, char**) {
                *static_cast<std::string*>(out) = columns[0];
                return 0;
            },
            &result, nullptr);
    }
    sqlite3_close(file);
    return result == "ok" ? std::string{} : result;
}

} // namespace holdfast::test
