// Account transfer: four clients move money between two accounts, in both directions, without
// deadlock. PostgreSQL takes the same statements as SQLite, which is used here.

#include <holdfast/holdfast.hpp>

#include <sqlite3.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;

namespace {

using database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

database open(const std::string& path) {
    sqlite3* bank = nullptr;
    sqlite3_open(path.c_str(), &bank); // if it fails, so does the first statement
    sqlite3_busy_timeout(bank, 10'000);
    return {bank, &sqlite3_close};
}

/// Returns the number that it selects, or else how many rows it has changed.
long run(const database& bank, const char* sql, const std::string& name = {}, long amount = 0,
         std::uint64_t token = 0) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(bank.get(), sql, -1, &statement, nullptr);
    const auto at = [&](const char* key) { return sqlite3_bind_parameter_index(statement, key); };
    sqlite3_bind_text(statement, at("$1"), name.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, at("$2"), amount);
    sqlite3_bind_int64(statement, at("$3"), static_cast<sqlite3_int64>(token));
    const bool selects = sqlite3_step(statement) == SQLITE_ROW;
    const long number = selects ? sqlite3_column_int(statement, 0) : sqlite3_changes(bank.get());
    if (sqlite3_finalize(statement) == SQLITE_OK) { return number; }
    throw std::runtime_error{sqlite3_errmsg(bank.get())};
}

// [doc: account transfer]
constexpr const char* balance = "SELECT balance FROM account WHERE name = $1";
constexpr const char* book = "UPDATE account SET balance = balance + $2, token = $3"
                             " WHERE name = $1 AND token <= $3";

/// False: the money does not suffice, or someone else has acquired an account since.
bool transfer(holdfast::client& fleet, const database& bank, const std::string& from,
              const std::string& to, long amount) {
    const auto both = holdfast::acquire_all(fleet, {from, to}, {.lease = 5s}); // in any order
    if (run(bank, balance, from) < amount) { return false; } // and other checks, which may be slow
    run(bank, "BEGIN");
    const bool booked = run(bank, book, from, -amount, both.token(from)) == 1 &&
                        run(bank, book, to, amount, both.token(to)) == 1;
    run(bank, booked ? "COMMIT" : "ROLLBACK");
    return booked;
}
// [end]

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    const auto path =
        std::filesystem::temp_directory_path() / ("bank" + std::to_string(::getpid()));
    const auto bank = open(path);
    run(bank, "CREATE TABLE account (name TEXT PRIMARY KEY, balance BIGINT, token BIGINT)");
    const std::array<std::string, 2> names{"account:1", "account:2"};
    for (const auto& name : names) {
        run(bank, "INSERT INTO account VALUES ($1, $2, $3)", name, 1000);
    }
    std::atomic<int> booked{0};
    const auto work = [&](const std::string& from, const std::string& to) {
        holdfast::client fleet{url}; // could be that of a process of its own
        const auto own = open(path);
        for (int i = 0; i < 25; ++i) { booked += transfer(fleet, own, from, to, 10) ? 1 : 0; }
    };
    std::vector<std::jthread> tellers(4);
    for (std::size_t i = 0; i < 4; ++i) {
        tellers[i] = std::jthread{work, names[i % 2], names[1 - i % 2]};
    }
    tellers.clear(); // joins
    std::cout << "booked: " << booked << ", sum: " << run(bank, "SELECT SUM(balance) FROM account");
    const bool late = run(bank, book, names[0], 10, 1) == 1; // the token of a former holder
    std::cout << "\nlate booking: " << (late ? "ACCEPTED" : "refused") << '\n';
    std::filesystem::remove(path);
}
