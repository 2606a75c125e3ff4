// holdfast demo: a flash sale, first without a lock, then with one.

#include "cli/commands.hpp"
#include "cli/demo_sale.hpp"
#include "cli/exit_codes.hpp"
#include "cli/place.hpp"
#include "holdfast/base/random.hpp"

#include <holdfast/client.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>

namespace holdfast::cli {

namespace {

/// A folder for the demo's locks that goes away with it.
class scratch {
public:
    scratch() {
        std::string shape =
            (std::filesystem::temp_directory_path() / "holdfast-demo-XXXXXX").string();
        if (::mkdtemp(shape.data()) == nullptr) { throw std::runtime_error{"no scratch folder"}; }
        path_ = shape;
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

/// On a terminal a bar that grows, otherwise nothing but the lines around it.
class progress {
public:
    progress(std::string title, const demo_board& board, int items)
        : title_{std::move(title)}, board_{board}, items_{items} {
        std::printf("%s\n", title_.c_str());
    }
    void show() const {
        if (!lively) { return; }
        constexpr int width = 40;
        const int sold = board_.sold;
        const int full = std::min(width, sold * width / items_);
        std::printf("\r  [%.*s%.*s] %d of %d sold", full,
                    "########################################", width - full,
                    "                                        ", sold, items_);
        std::fflush(stdout);
    }
    void end() const {
        if (lively) { std::printf("\r\033[K"); }
    }

private:
    static inline const bool lively =
        // NOLINTNEXTLINE(concurrency-mt-unsafe)
        ::isatty(STDOUT_FILENO) != 0 && std::getenv("TERM") != nullptr;
    std::string title_;
    const demo_board& board_;
    int items_;
};

struct outcome {
    int sold = 0;
    bool good = false;
};

outcome run_sale(const char* title, const sale& sale, demo_board& board) {
    const progress bar{title, board, sale.items};
    const bool all_well = hold_sale(sale, board, [&] { bar.show(); });
    bar.end();
    return {board.sold, all_well};
}

/// Of this run alone: others may try the demo on the same server.
std::string own_name(const char* purpose) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx",
                  static_cast<unsigned long long>(base::random_seed()));
    return std::string{"demo:"} + purpose + ":" + text.data();
}

int demo(place where) {
    const scratch folder;
    if (where.url.empty()) { where.url = "embedded:" + folder.path() + "/locks.db"; }
    where.open().ping(); // or say at once what is wrong with it
    auto& board = make_board();
    sale sale;
    sale.where = where;
    sale.name = own_name("stock");

    const auto without = run_sale("1. Four processes sell 400 items without a lock.", sale, board);
    std::printf("   sold %d of %d%s\n\n", without.sold, sale.items,
                without.sold > sale.items ? ": oversold" : "");
    sale.locked = true;
    const auto with = run_sale("2. The same with holdfast::mutex.", sale, board);
    std::printf("   sold %d of %d%s\n\n", with.sold, sale.items,
                with.sold == sale.items ? ": exact" : ": WRONG");
    std::printf("3. A holder is killed with -9, and the next takes over.\n");
    if (!where.url.starts_with("embedded:")) {
        std::printf("   (a server does not see it die: its lease of %d s has to end first)\n",
                    static_cast<int>(killed_lease.count()));
    }
    const auto next = kill_a_holder(where, own_name("order"));
    std::printf("   after %.1f ms, token %llu after %llu\n", next.took_ms,
                static_cast<unsigned long long>(next.next_token),
                static_cast<unsigned long long>(next.killed_token));
    std::printf("   the dead one's late write arrives: %s\n\n",
                next.late_write_refused ? "refused by its token" : "ACCEPTED");

    const bool oversold = without.sold > sale.items;
    const bool exact = with.good && with.sold == sale.items && board.tokens_in_order;
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
    const auto where = std::make_shared<place_options>();
    auto* const sub =
        app.add_subcommand("demo", "A flash sale without and with a lock, in a few seconds");
    add_place(*sub, *where);
    sub->footer("Without a URL: embedded, in a scratch folder.");
    sub->callback([where, &chosen] { chosen = [where] { return demo(place_of(*where)); }; });
}

} // namespace holdfast::cli
