#include "harness/fault_run.hpp"

#include "harness/timeline_svg.hpp"
#include "history/parser.hpp"
#include "history/report.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>

namespace holdfast::test {

namespace {

/// How long a client may take to acquire a lock once the faults have ended.
constexpr milliseconds recovery_bound = 20s;
constexpr double enforced_from = 5; ///< minutes: from then on each kind must have its number

/// The history has more than is read here while clients write it: parse what is whole.
std::vector<history::event> events_since(const std::string& path, std::streamoff offset) {
    std::ifstream in{path, std::ios::binary};
    in.seekg(offset);
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    text.erase(text.rfind('\n') + 1);
    text.erase(0, text.starts_with('@') ? 0 : text.find('\n') + 1);
    std::istringstream whole{text};
    return history::parse(whole).events;
}

std::string seconds(std::chrono::nanoseconds time) {
    std::ostringstream out;
    out.precision(3);
    out << std::chrono::duration<double>{time}.count() << " s";
    return out.str();
}

} // namespace

fault_run::fault_run(fault_run_options options)
    : options_{std::move(options)},
      random_{options_.seed},
      place_{make_deployment(options_.engine)},
      kinds_{place_->kinds()} {
    kinds_.insert(kinds_.end(),
                  {fault_kind::client_kill, fault_kind::client_stop, fault_kind::lock_break});
}

unsigned fault_run::wanted() const {
    return static_cast<unsigned>(std::ceil(2 * options_.minutes));
}

void fault_run::start_clients() {
    const auto add = [&](const std::string& name, const std::string& mode, int count) {
        for (int at = 0; at < count; ++at) {
            flags_[name + "-" + mode + "-" + std::to_string(at + 1)] = {
                "--name", name, "--mode", mode, "--hold", at % 2 == 0 ? "20000" : "150000"};
        }
    };
    add("stock", "exclusive", 4);
    add("catalog", "writer", 1);
    add("catalog", "shared", 2);
    if (place_->has_semaphores()) {
        add("slots", "permits", 4);
        for (auto& [label, flags] : flags_) {
            if (label.starts_with("slots")) { flags.insert(flags.end(), {"--limit", "2"}); }
        }
    }
    for (const auto& [label, flags] : flags_) { start_client(label); }
}

void fault_run::start_client(const std::string& label) {
    auto flags = flags_.at(label);
    const bool fenced = flags.at(1) == "stock";
    const bool apart = options_.split && label.ends_with("1");
    flags.insert(flags.end(), {"--url", apart ? place_->other_url() : place_->url(), "--label",
                               label, "--history", file("history"), "--losses", file("losses"),
                               "--rounds", "0", "--quiet", "1", "--pause", "20000", "--persist",
                               "1", "--lease", std::to_string(deployment::lease.count())});
    if (fenced) { flags.insert(flags.end(), {"--store", file("store"), "--late_write", "1"}); }
    clients_[label] = std::make_unique<taker_process>(events_, flags);
}

/// The kind that had the fewest faults so far, at random among equals.
fault_kind fault_run::next_kind() {
    std::ranges::shuffle(kinds_, random_);
    return *std::ranges::min_element(kinds_, {}, [&](fault_kind kind) { return counts_[kind]; });
}

void fault_run::inject_faults() {
    const stopwatch watch;
    const milliseconds length{static_cast<std::int64_t>(options_.minutes * 60'000)};
    const auto some_missing = [&] {
        return options_.minutes >= 1 && std::ranges::any_of(kinds_, [&](fault_kind kind) {
                   return counts_[kind] < wanted();
               });
    };
    // A run that is behind with its faults goes on, for as long again at most.
    while (watch.elapsed() < length || (some_missing() && watch.elapsed() < 2 * length)) {
        inject(next_kind());
        for (auto& [label, client] : clients_) {
            if (client->ended()) { start_client(label); }
        }
        std::this_thread::sleep_for(milliseconds{random_() % 300});
    }
}

void fault_run::inject(fault_kind kind) {
    injected_fault fault{.kind = kind, .from = history::now()};
    fault.effects = inject_one(kind);
    fault.to = history::now();
    ++counts_[kind];
    const bool at_clients = kind == fault_kind::client_kill || kind == fault_kind::client_stop ||
                            kind == fault_kind::lock_break;
    if (!at_clients) { std::this_thread::sleep_for(place_->settle(kind)); }
    if (!fault.effects.keeps_proviso || fault.effects.loses_data) { fault.to = history::now(); }
    faults_.push_back(fault);
}

fault_effects fault_run::inject_one(fault_kind kind) {
    auto& victim =
        *std::next(clients_.begin(), static_cast<std::ptrdiff_t>(random_() % clients_.size()))
             ->second;
    switch (kind) {
    case fault_kind::client_kill: victim.kill(); return {};
    case fault_kind::client_stop:
        victim.stop();
        std::this_thread::sleep_for(milliseconds{200 + random_() % 1500});
        victim.resume();
        return {};
    case fault_kind::lock_break: break_some_lock(); return {};
    default: return place_->inject(kind, random_);
    }
}

void fault_run::break_some_lock() {
    client own{place_->admin_url()};
    const admin locks{own};
    // The clock decides how long somebody holds it: try until the break meets a holder.
    for (int tries = 0; tries < 200; ++tries) {
        std::error_code failure;
        const auto seen = locks.inspect("stock", failure);
        if (seen && !seen->holders.empty()) {
            const auto token = seen->holders.front().token;
            const auto sent = history::now();
            const bool broken = locks.break_lock("stock", {.only_token = token}, failure);
            events_.record(history::broken{"stock", token, sent});
            if (broken && !failure) { return; }
        }
        std::this_thread::sleep_for(5ms);
    }
    problems_.emplace_back("no lock could be broken within a second");
}

void fault_run::expect_grants_for_all() {
    const auto since = history::now();
    const auto offset = static_cast<std::streamoff>(std::filesystem::file_size(file("history")));
    std::vector<std::string> labels;
    for (auto& [label, client] : clients_) {
        if (client->ended()) {
            problems_.push_back("the client " + label + " has ended by itself: " +
                                client->wait_for_line("failed", 100ms).value_or("in silence"));
        }
        labels.push_back(label);
    }
    std::vector<std::string> stuck;
    (void)eventually(
        [&] {
            std::this_thread::sleep_for(100ms);
            stuck = without_grant_since(events_since(file("history"), offset), labels, since);
            return stuck.empty();
        },
        recovery_bound);
    for (const auto& label : stuck) {
        problems_.push_back("the client " + label + " acquired nothing within " +
                            seconds(recovery_bound) + " after the faults (P7)");
    }
}

void fault_run::expect_nothing_left() {
    client own{place_->admin_url(), {.connect_wait = recovery_bound}};
    if (!mutex{own, "stock", {.lease = deployment::lease}}.try_acquire_for(recovery_bound)) {
        problems_.emplace_back("the mutex is not free after all clients have ended (P7)");
    }
    if (!shared_mutex{own, "catalog"}.try_acquire_for(recovery_bound,
                                                      {.lease = deployment::lease})) {
        problems_.emplace_back("the shared_mutex is not free after all clients have ended (P7)");
    }
    if (place_->has_semaphores()) {
        counting_semaphore slots{own, "slots", 2};
        if (!slots.try_acquire_for(2, recovery_bound, {.lease = deployment::lease})) {
            problems_.emplace_back("a permit is lost: not all are free after the end (P7)");
        }
    }
    const bool idle = eventually([&] {
        std::error_code failure;
        return admin{own}.list(failure).locks.empty() && !failure;
    });
    if (!idle) { problems_.emplace_back("holders or waiters are left behind (P8)"); }
    if (const auto left = place_->left_behind(); !left.empty()) {
        problems_.push_back("left behind (P8):\n" + left);
    }
}

bool fault_run::run() {
    start_clients();
    std::this_thread::sleep_for(place_->warm_up());
    inject_faults();
    expect_grants_for_all();
    clients_.clear(); // killed and reaped
    expect_nothing_left();

    const auto history = history::parse_file(file("history"));
    for (const auto& error : history.errors) {
        problems_.push_back("line " + std::to_string(error.line) +
                            " of the history: " + error.message);
    }
    // Other programs run on this machine: a client may be scheduled late.
    const auto result = judge(history.events, faults_,
                              {.check = {.loss_notice = 20ms + scaled(500ms),
                                         .loss_notice_after_stop = 100ms + scaled(500ms),
                                         .starvation_bound = 4 * long_wait,
                                         .data_lost = place_->can_lose_data()},
                               .reader_tokens = place_->has_reader_tokens()});
    if (history::summarise(history.events).writes_accepted == 0) {
        problems_.emplace_back("nothing was written to the store: the run proves nothing (P3)");
    }
    if (options_.minutes >= enforced_from) {
        for (const auto kind : kinds_) {
            if (counts_[kind] < wanted()) {
                problems_.push_back("only " + std::to_string(counts_[kind]) + " of " +
                                    std::to_string(wanted()) +
                                    " faults: " + std::string{to_string(kind)});
            }
        }
    }
    write_report(history.events, result);
    for (const auto& problem : problems_) {
        std::cout << options_.engine << ": " << problem << '\n';
    }
    history::print(std::cout, result.violations, 3);
    const bool clean = problems_.empty() && result.is_clean();
    if (!clean) { // for check_history
        std::filesystem::copy_file(file("history"),
                                   options_.report / (options_.engine + ".history"),
                                   std::filesystem::copy_options::overwrite_existing);
        for (const auto& fault : faults_) {
            std::cout << options_.engine << ": " << to_string(fault.kind) << " from "
                      << fault.from.count() << " to " << fault.to.count() << '\n';
        }
    }
    std::cout << options_.engine << ": " << faults_.size() << " faults, "
              << (clean ? "no promise broken" : "FAILED") << "; --engine " << options_.engine
              << " --seed " << options_.seed << std::endl;
    return clean;
}

void fault_run::write_report(const std::vector<history::event>& events, const verdict& result) {
    std::map<std::string, int> causes;
    std::ifstream losses{file("losses")};
    for (std::string line; std::getline(losses, line);) { ++causes[line]; }
    const auto totals = history::summarise(events);
    std::ofstream out{options_.report / (options_.engine + ".md")};
    out << "## " << options_.engine << "\n\n| | |\n|---|---|\n";
    for (const auto& [kind, count] : counts_) {
        out << "| " << to_string(kind) << " | " << count << " |\n";
    }
    if (!place_->missing().empty()) { out << "| NOT INJECTED | " << place_->missing() << " |\n"; }
    out << "| holds | " << totals.grants << " |\n| writes accepted, refused | "
        << totals.writes_accepted << ", " << totals.writes_refused << " |\n";
    for (const auto& [cause, count] : causes) {
        out << "| losses: " << cause << " | " << count << " |\n";
    }
    out << "| longest time without a grant | " << seconds(longest_gap(events)) << " |\n"
        << "| overlaps and epochs excused by clock steps and lost data | " << result.excused
        << " |\n"
        << "| seed | " << options_.seed << " |\n| verdict | "
        << (problems_.empty() && result.is_clean() ? "no promise broken" : "FAILED") << " |\n\n";
    for (const auto& problem : problems_) { out << "- " << problem << '\n'; }
    for (const auto& found : result.violations) { out << "- " << found.sentence << '\n'; }
    out << "![" << options_.engine << "](fault-" << options_.engine << ".svg)\n\n";
    std::ofstream{options_.report / ("fault-" + options_.engine + ".svg")}
        << timeline_svg("Holds and faults: " + options_.engine, events, faults_);
}

} // namespace holdfast::test
