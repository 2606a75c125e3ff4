// holdfast demo: a flash sale, first without a lock, then with one.

#include "cli/commands.hpp"
#include "cli/demo_sale.hpp"
#include "cli/engine_flags.hpp"
#include "cli/errno_error.hpp"
#include "cli/exit_codes.hpp"
#include "holdfast/base/random.hpp"

#include <holdfast/client.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>

namespace holdfast::cli {

namespace {

/// A temporary folder for the demo's locks; the destructor deletes it.
class scratch_folder {
public:
    scratch_folder() {
        const char* const advice = "set TMPDIR to a folder that this user can write to";
        std::error_code failure;
        const auto parent = std::filesystem::temp_directory_path(failure);
        if (failure) { throw errno_error("cannot find TMPDIR", failure.value(), advice); }
        path_ = (parent / "holdfast-demo-XXXXXX").string();
        if (::mkdtemp(path_.data()) == nullptr) {
            throw errno_error("cannot create a folder in " + parent.string(), errno, advice);
        }
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

/// Prints a title and, on a terminal, a progress bar.
class progress_bar {
public:
    progress_bar(const char* title, const demo_state& state, int items)
        : state_{state}, items_{items} {
        std::printf("%s\n", title);
    }
    void show() const {
        if (!is_terminal) { return; }
        constexpr int width = 40;
        const int sold = state_.sold;
        const int full = std::min(width, sold * width / items_);
        std::printf("\r  [%.*s%.*s] %d of %d sold", full,
                    "########################################", width - full,
                    "                                        ", sold, items_);
        std::fflush(stdout);
    }
    void end() const {
        if (is_terminal) { std::printf("\r\033[K"); }
    }

private:
    static inline const bool is_terminal =
        // NOLINTNEXTLINE(concurrency-mt-unsafe)
        ::isatty(STDOUT_FILENO) != 0 && std::getenv("TERM") != nullptr;
    const demo_state& state_;
    int items_;
};

struct sale_result {
    int sold = 0;
    bool succeeded = false;
};

sale_result run_sale(const char* title, const sale& sale, demo_state& state) {
    const progress_bar bar{title, state, sale.items};
    const bool succeeded = run_sellers(sale, state, [&] { bar.show(); });
    bar.end();
    return {state.sold, succeeded};
}

/// Random, because other users may run the demo on the same server.
std::string unique_name(const char* purpose) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx",
                  static_cast<unsigned long long>(base::random_seed()));
    return std::string{"demo:"} + purpose + ":" + text.data();
}

int demo(engine_address engine) {
    const scratch_folder folder;
    if (engine.url.empty()) { engine.url = "embedded:" + folder.path() + "/locks.db"; }
    engine.open().ping(); // fails at once if the engine cannot be used
    auto& state = make_demo_state();
    sale sale;
    sale.engine = engine;
    sale.name = unique_name("stock");

    const auto without = run_sale("1. Four processes sell 400 items without a lock.", sale, state);
    std::printf("   sold %d of %d%s\n\n", without.sold, sale.items,
                without.sold > sale.items ? ": oversold" : "");
    sale.locked = true;
    const auto with = run_sale("2. The same with holdfast::mutex.", sale, state);
    std::printf("   sold %d of %d%s\n\n", with.sold, sale.items,
                with.sold == sale.items ? ": exact" : ": WRONG");
    std::printf("3. A holder is killed with kill -9, and the next one takes over.\n");
    if (!engine.url.starts_with("embedded:")) {
        std::printf("   (a server does not see it die: its lease of %d s must expire first)\n",
                    static_cast<int>(killed_lease.count()));
    }
    const auto next = kill_a_holder(engine, unique_name("order"));
    std::printf("   after %.1f ms, token %llu after %llu\n", next.took_ms,
                static_cast<unsigned long long>(next.next_token),
                static_cast<unsigned long long>(next.killed_token));
    std::printf("   a late write of the dead holder arrives: %s\n\n",
                next.late_write_refused ? "refused by its token" : "ACCEPTED");

    const bool oversold = without.sold > sale.items;
    const bool exact = with.succeeded && with.sold == sale.items && state.tokens_in_order;
    const bool taken_over =
        next.next_token > next.killed_token && next.late_write_refused && next.next_write_accepted;
    std::printf("%-44s %10s  %s\n", "", "sold", "");
    std::printf("%-44s %10d  %s\n", "without a lock", without.sold,
                oversold ? "oversold (expected without a lock)" : "lucky this time");
    std::printf("%-44s %10d  %s\n", "with holdfast::mutex", with.sold, exact ? "exact" : "WRONG");
    std::printf("%-44s %10s  %s\n", "take-over after kill -9", "",
                taken_over ? "higher token, late write refused" : "WRONG");
    return exact && taken_over ? exit_code::ok : exit_code::failed;
}

} // namespace

void add_demo(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<engine_flags>();
    auto* const sub =
        app.add_subcommand("demo", "A flash sale without and with a lock, in a few seconds");
    add_engine_flags(*sub, *flags);
    sub->footer("Without a URL: embedded, in a temporary folder.");
    sub->callback(
        [flags, &chosen] { chosen = [flags] { return demo(parse_engine_flags(*flags)); }; });
}

} // namespace holdfast::cli
