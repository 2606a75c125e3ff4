#pragma once
// What the tests of the embedded engine need: a folder, clients to ask, and processes to kill.

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
class asker final : private engine::sink {
public:
    explicit asker(const std::string& path,
                   engine::client_identity identity = engine::this_process(),
                   const std::string& mode = {});

    /// Submits and drives until it is answered, at most for `patience`.
    engine::answer ask(const engine::op& operation, base::milliseconds patience = 5s);
    engine::op_id submit(const engine::op& operation, base::milliseconds patience = 5s);
    [[nodiscard]] std::optional<engine::answer> answered(engine::op_id id);
    /// Drives until `done`, or the time is over: then false.
    bool drive_until(const std::function<bool()>& done, base::milliseconds most = 5s);

    engine::answer acquire(const std::string& name, std::uint64_t number,
                           engine::queueing queue = engine::queueing::no,
                           base::milliseconds lease = 30s);
    engine::answer release(const std::string& name, std::uint64_t number);
    engine::beat_answer beat(const std::string& name, std::uint64_t number, bool waiting);
    lock_info inspect(const std::string& name);
    /// Waits for a notice.
    std::optional<engine::notice> hear(base::milliseconds most = 5s);

    [[nodiscard]] engine::ticket mine(const std::string& name, std::uint64_t number) const {
        return {name, {identity.client, number}};
    }
    [[nodiscard]] engine::acquire_op wish(const std::string& name, std::uint64_t number) const;
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

/// A child process. What `body` says with `say` arrives by `hear`; it ends when `body` returns,
/// with exit code 0, or 1 if it threw. Killed, if it is still there, by the destructor.
class child {
public:
    class mouth {
    public:
        explicit mouth(int to, int from) : to_{to}, from_{from} {}
        void say(const std::string& line) const;
        /// Blocks until the parent has called `answer`.
        void listen() const;

    private:
        int to_;
        int from_;
    };
    explicit child(const std::function<void(const mouth&)>& body);
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child();

    /// The next line; empty if it has ended or says nothing for long.
    std::string hear(base::milliseconds most = 10s);
    void answer() const;
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
    std::string heard_;
};

} // namespace holdfast::test
