#pragma once
// Helpers for tests of the embedded engine: a folder, clients, and processes to kill.

#include "holdfast/engine/embedded/embedded.hpp"
#include "support/scratch_folder.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::test {

using namespace std::chrono_literals;

/// One client of an embedded store, driven by hand.
class embedded_client final : private engine::sink {
public:
    explicit embedded_client(const std::string& path,
                             engine::client_identity identity = engine::this_process(),
                             const std::string& mode = {});

    /// Submits and drives until it is answered, at most for `time_limit`.
    engine::answer ask(const engine::op& operation, base::milliseconds time_limit = 5s);
    engine::op_id submit(const engine::op& operation, base::milliseconds time_limit = 5s);
    [[nodiscard]] std::optional<engine::answer> answered(engine::op_id id);
    /// Drives until `done`, or the time is over: then false.
    bool drive_until(const std::function<bool()>& done, base::milliseconds time_limit = 5s);

    engine::answer acquire(const std::string& name, std::uint64_t number,
                           engine::queueing queue = engine::queueing::no,
                           base::milliseconds lease = 30s);
    engine::answer release(const std::string& name, std::uint64_t number);
    engine::beat_answer beat(const std::string& name, std::uint64_t number, bool waiting);
    lock_info inspect(const std::string& name);
    /// Waits for a notice.
    std::optional<engine::notice> wait_for_notice(base::milliseconds time_limit = 5s);

    [[nodiscard]] engine::ticket ticket_of(const std::string& name, std::uint64_t number) const {
        return {name, {identity.client, number}};
    }
    [[nodiscard]] engine::acquire_op acquire_request(const std::string& name,
                                                     std::uint64_t number) const;
    [[nodiscard]] engine::engine& raw() { return *engine_; }
    void close() { engine_.reset(); }

    const engine::client_identity identity;
    std::vector<engine::notice> notices;

private:
    void answered(engine::answer&& answer) override { answers_.push_back(std::move(answer)); }
    void noticed(const engine::notice& notice) override { notices.push_back(notice); }

    std::unique_ptr<engine::engine> engine_;
    std::vector<engine::answer> answers_;
    engine::op_id last_ = 0;
};

/// A child process. `receive` returns the lines that `body` sends. It ends when `body` returns,
/// with exit code 0, or 1 if it threw. The destructor kills it.
class child_process {
public:
    class parent_channel {
    public:
        explicit parent_channel(int to, int from) : to_{to}, from_{from} {}
        void send(const std::string& line) const;
        /// Blocks until the parent calls `resume`.
        void wait_for_parent() const;

    private:
        int to_;
        int from_;
    };
    explicit child_process(const std::function<void(const parent_channel&)>& body);
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    ~child_process();

    /// The next line; empty if it has ended or sends nothing in time.
    std::string receive(base::milliseconds time_limit = 10s);
    /// Lets `wait_for_parent` return.
    void resume() const;
    void kill(int signal = 9) const;
    /// Sends a signal and waits until it is dead.
    void end(int signal = 9);
    /// Waits for its end: the exit code, or minus the signal.
    int wait();
    [[nodiscard]] pid_t pid() const { return pid_; }

private:
    pid_t pid_ = -1;
    int from_ = -1;
    int to_ = -1;
    std::string received_;
};

} // namespace holdfast::test
