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

embedded_client::embedded_client(const std::string& path, engine::client_identity as,
                                 const std::string& mode)
    : identity{std::move(as)}, engine_{engine::embedded::make(url_of(path, mode), identity)} {
    engine_->attach(*this);
}

engine::op_id embedded_client::submit(const engine::op& operation, base::milliseconds time_limit) {
    const auto id = ++last_;
    engine_->submit(id, operation, identity.time->now() + time_limit);
    return id;
}

std::optional<engine::answer> embedded_client::answered(engine::op_id id) {
    for (auto it = answers_.begin(); it != answers_.end(); ++it) {
        if (it->id != id) { continue; }
        engine::answer out = std::move(*it);
        answers_.erase(it);
        return out;
    }
    return std::nullopt;
}

bool embedded_client::drive_until(const std::function<bool()>& done,
                                  base::milliseconds time_limit) {
    const auto end = base::boot_clock::now() + time_limit;
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

engine::answer embedded_client::ask(const engine::op& operation, base::milliseconds time_limit) {
    const auto id = submit(operation, time_limit);
    std::optional<engine::answer> out = answered(id);
    if (!out) {
        drive_until([&] { return (out = answered(id)).has_value(); }, time_limit + 1s);
    }
    EXPECT_TRUE(out) << "not answered";
    return out.value_or(engine::answer{});
}

engine::acquire_op embedded_client::acquire_request(const std::string& name,
                                                    std::uint64_t number) const {
    engine::acquire_op operation;
    operation.ticket = ticket_of(name, number);
    operation.lease = 30s;
    return operation;
}

engine::answer embedded_client::acquire(const std::string& name, std::uint64_t number,
                                        engine::queueing queue, base::milliseconds lease) {
    engine::acquire_op operation = acquire_request(name, number);
    operation.lease = lease;
    operation.queue = queue;
    return ask(operation);
}

engine::answer embedded_client::release(const std::string& name, std::uint64_t number) {
    return ask(engine::release_op{ticket_of(name, number)});
}

engine::beat_answer embedded_client::beat(const std::string& name, std::uint64_t number,
                                          bool waiting) {
    const auto out = ask(engine::beat_op{{{ticket_of(name, number), waiting, 30s}}});
    EXPECT_EQ(out.beats.size(), 1U) << out.detail;
    return out.beats.empty() ? engine::beat_answer{} : out.beats.front();
}

lock_info embedded_client::inspect(const std::string& name) {
    const auto out = ask(engine::inspect_op{name});
    EXPECT_TRUE(out.report) << out.detail;
    return out.report ? out.report->locks.at(0) : lock_info{};
}

std::optional<engine::notice> embedded_client::wait_for_notice(base::milliseconds time_limit) {
    drive_until([&] { return !notices.empty(); }, time_limit);
    if (notices.empty()) { return std::nullopt; }
    const engine::notice first = notices.front();
    notices.erase(notices.begin());
    return first;
}

void child_process::parent_channel::send(const std::string& line) const {
    const std::string out = line + "\n";
    [[maybe_unused]] const auto written = ::write(to_, out.data(), out.size());
}

void child_process::parent_channel::wait_for_parent() const {
    char byte = 0;
    [[maybe_unused]] const auto got = ::read(from_, &byte, 1);
}

child_process::child_process(const std::function<void(const parent_channel&)>& body) {
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
            body(parent_channel{out[1], in[0]});
            code = ::testing::Test::HasFailure() ? 2 : 0;
        } catch (const std::exception& why) {
            parent_channel{out[1], in[0]}.send(std::string{"threw: "} + why.what());
        }
        ::_exit(code);
    }
    ::close(out[1]);
    ::close(in[0]);
    from_ = out[0];
    to_ = in[1];
}

child_process::~child_process() {
    if (pid_ > 0) { end(); }
    ::close(from_);
    ::close(to_);
}

std::string child_process::receive(base::milliseconds time_limit) {
    const auto end = base::boot_clock::now() + time_limit;
    while (received_.find('\n') == std::string::npos) {
        const auto left =
            std::chrono::ceil<base::milliseconds>(end - base::boot_clock::now()).count();
        pollfd polled{from_, POLLIN, 0};
        if (left <= 0 || ::poll(&polled, 1, static_cast<int>(left)) <= 0) { return {}; }
        std::array<char, 512> room{};
        const auto got = ::read(from_, room.data(), room.size());
        if (got <= 0) { return {}; }
        received_.append(room.data(), static_cast<std::size_t>(got));
    }
    const auto at = received_.find('\n');
    std::string line = received_.substr(0, at);
    received_.erase(0, at + 1);
    return line;
}

void child_process::resume() const { [[maybe_unused]] const auto written = ::write(to_, "x", 1); }

void child_process::kill(int signal) const { ::kill(pid_, signal); }

void child_process::end(int signal) {
    kill(signal);
    if (signal != SIGKILL) { kill(SIGCONT); }
    wait();
}

int child_process::wait() {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(pid_, &status, 0) != pid_) { return -1000; }
    pid_ = -1;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace holdfast::test
