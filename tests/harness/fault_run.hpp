#pragma once
// One run of the harness on one engine: clients, faults, the end of the run, the verdict.

#include "harness/deployment.hpp"
#include "harness/verdict.hpp"
#include "history/recorder.hpp"
#include "process/taker_process.hpp"
#include "support/scratch_folder.hpp"

#include <filesystem>
#include <map>

namespace holdfast::test {

struct fault_run_options {
    std::string engine{};
    double minutes = 1;
    unsigned seed = 1;
    std::filesystem::path report{}; ///< a folder
    bool split = false;             ///< a planted mistake: some clients use other locks
};

/// Thread safety: none. Use the main thread: servers end with the thread that started them.
class fault_run {
public:
    explicit fault_run(fault_run_options options);

    /// Writes ENGINE.md and ENGINE.svg to the report's folder. True: no promise was broken.
    [[nodiscard]] bool run();

private:
    void start_clients();
    void start_client(const std::string& label);
    void inject_faults();
    [[nodiscard]] fault_kind next_kind();
    void inject(fault_kind kind);
    [[nodiscard]] fault_effects inject_one(fault_kind kind);
    void break_some_lock();
    void expect_grants_for_all();
    void expect_nothing_left();
    [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] unsigned wanted() const; ///< faults of each kind
    void write_report(const std::vector<history::event>& events, const verdict& result);

    const fault_run_options options_;
    std::minstd_rand random_;
    const scratch_folder folder_; // before the deployment, which may set TMPDIR
    std::unique_ptr<deployment> place_;
    history::recorder events_{file("history"), "harness"};
    std::map<std::string, std::vector<std::string>> flags_; ///< of each client, by label
    std::map<std::string, std::unique_ptr<taker_process>> clients_;
    std::vector<fault_kind> kinds_;
    std::map<fault_kind, unsigned> counts_;
    std::vector<injected_fault> faults_;
    std::vector<std::string> problems_; ///< beside violations of the history
};

} // namespace holdfast::test
