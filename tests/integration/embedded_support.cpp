#include "embedded_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::test {

namespace {

engine::url url_of(const std::string& path, const std::string& mode) {
    engine::url out;
    out.scheme = "embedded";
    out.path = path;
    if (!mode.empty()) { out.query["mode"] = mode; }
    return out;
}

} // namespace

asker::asker(const std::string& path, engine::client_identity as, const std::string& mode)
    : identity{std::move(as)}, engine_{engine::embedded::make(url_of(path, mode), identity)} {
    engine_->attach(*this);
}

engine::op_id asker::submit(const engine::op& operation, base::milliseconds patience) {
    const auto id = ++last_;
    engine_->submit(id, operation, identity.time->now() + patience);
    return id;
}

std::optional<engine::answer> asker::answered(engine::op_id id) {
    for (auto it = answers_.begin(); it != answers_.end(); ++it) {
        if (it->id != id) { continue; }
        engine::answer out = std::move(*it);
        answers_.erase(it);
        return out;
    }
    return std::nullopt;
}

bool asker::drive_until(const std::function<bool()>& done, base::milliseconds most) {
    const auto end = base::boot_clock::now() + most;
    base::instant due = engine_->drive({}, identity.time->now());
    while (!done()) {
        const auto now = base::boot_clock::now();
        if (now >= end) { return false; }
        const base::duration left = std::min(end, due) - now;
        const timespec wait{0, std::clamp<long>(left.count(), 0, 20'000'000)};
        std::vector<pollfd> watched;
        engine_->pollables(watched);
        ::ppoll(watched.data(), watched.size(), &wait, nullptr);
        due = engine_->drive(watched, identity.time->now());
    }
    return true;
}

engine::answer asker::ask(const engine::op& operation, base::milliseconds patience) {
    const auto id = submit(operation, patience);
    std::optional<engine::answer> out = answered(id);
    if (!out) {
        drive_until([&] { return (out = answered(id)).has_value(); }, patience + 1s);
    }
    EXPECT_TRUE(out) << "not answered";
    return out.value_or(engine::answer{});
}

engine::acquire_op asker::wish(const std::string& name, std::uint64_t number) const {
    engine::acquire_op operation;
    operation.ticket = mine(name, number);
    operation.lease = 30s;
    return operation;
}

engine::answer asker::acquire(const std::string& name, std::uint64_t number, engine::queueing queue,
                              base::milliseconds lease) {
    engine::acquire_op operation = wish(name, number);
    operation.lease = lease;
    operation.queue = queue;
    return ask(operation);
}

engine::answer asker::release(const std::string& name, std::uint64_t number) {
    return ask(engine::release_op{mine(name, number)});
}

engine::beat_answer asker::beat(const std::string& name, std::uint64_t number, bool waiting) {
    const auto out = ask(engine::beat_op{{{mine(name, number), waiting, 30s}}});
    EXPECT_EQ(out.beats.size(), 1U) << out.detail;
    return out.beats.empty() ? engine::beat_answer{} : out.beats.front();
}

lock_info asker::inspect(const std::string& name) {
    const auto out = ask(engine::inspect_op{name});
    EXPECT_TRUE(out.report) << out.detail;
    return out.report ? out.report->locks.at(0) : lock_info{};
}

std::optional<engine::notice> asker::hear(base::milliseconds most) {
    drive_until([&] { return !notices.empty(); }, most);
    if (notices.empty()) { return std::nullopt; }
    const engine::notice first = notices.front();
    notices.erase(notices.begin());
    return first;
}

void child::mouth::say(const std::string& line) const {
    const std::string out = line + "\n";
    [[maybe_unused]] const auto written = ::write(to_, out.data(), out.size());
}

void child::mouth::listen() const {
    char byte = 0;
    [[maybe_unused]] const auto got = ::read(from_, &byte, 1);
}

child::child(const std::function<void(const mouth&)>& body) {
    std::array<int, 2> out{};
    std::array<int, 2> in{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(in.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error{"pipe2 failed"};
    }
    pid_ = ::fork();
    if (pid_ == 0) {
        ::close(out[0]);
        ::close(in[1]);
        int code = 1;
        try {
            body(mouth{out[1], in[0]});
            code = ::testing::Test::HasFailure() ? 2 : 0;
        } catch (const std::exception& why) {
            mouth{out[1], in[0]}.say(std::string{"threw: "} + why.what());
        }
        ::_exit(code);
    }
    ::close(out[1]);
    ::close(in[0]);
    from_ = out[0];
    to_ = in[1];
}

child::~child() {
    if (pid_ > 0) { end(); }
    ::close(from_);
    ::close(to_);
}

std::string child::hear(base::milliseconds most) {
    const auto end = base::boot_clock::now() + most;
    while (heard_.find('\n') == std::string::npos) {
        const auto left =
            std::chrono::ceil<base::milliseconds>(end - base::boot_clock::now()).count();
        pollfd polled{from_, POLLIN, 0};
        if (left <= 0 || ::poll(&polled, 1, static_cast<int>(left)) <= 0) { return {}; }
        std::array<char, 512> room{};
        const auto got = ::read(from_, room.data(), room.size());
        if (got <= 0) { return {}; }
        heard_.append(room.data(), static_cast<std::size_t>(got));
    }
    const auto at = heard_.find('\n');
    std::string line = heard_.substr(0, at);
    heard_.erase(0, at + 1);
    return line;
}

void child::answer() const { [[maybe_unused]] const auto written = ::write(to_, "x", 1); }

void child::kill(int signal) const { ::kill(pid_, signal); }

void child::end(int signal) {
    kill(signal);
    if (signal != SIGKILL) { kill(SIGCONT); }
    wait();
}

int child::wait() {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(pid_, &status, 0) != pid_) { return -1000; }
    pid_ = -1;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace holdfast::test
