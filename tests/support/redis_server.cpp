#include "support/redis_server.hpp"

#include "support/free_port.hpp"
#include "support/timing.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace holdfast::test {

namespace {

std::string program() {
    const char* const name = std::getenv("HOLDFAST_REDIS_SERVER");
    return name != nullptr && *name != '\0' ? name : "redis-server";
}

std::filesystem::path make_folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "holdfast-redis-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw std::system_error{errno, std::generic_category(), pattern};
    }
    return pattern;
}

/// Runs between fork and exec: only async-signal-safe calls, as other threads may hold locks.
[[noreturn]] void exec_server(char* const* command_words, int log, ::pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) { ::_exit(1); } // the parent died before prctl()
    ::sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // The server must not keep our output or pipes open: their reader would wait for the end.
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execvp(command_words[0], command_words);
    const std::string_view message = "no such program, or not executable\n";
    const auto ignored = ::write(STDERR_FILENO, message.data(), message.size());
    ::_exit(ignored > 0 ? 127 : 126);
}

::pid_t spawn(std::vector<std::string> command_words, const std::filesystem::path& log_file) {
    std::vector<char*> pointers;
    pointers.reserve(command_words.size() + 1);
    for (auto& word : command_words) { pointers.push_back(word.data()); }
    pointers.push_back(nullptr);
    const base::fd log{
        ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)};
    const auto parent = ::getpid();
    const auto child = log ? ::fork() : -1;
    if (child < 0) { throw std::system_error{errno, std::generic_category(), command_words.at(0)}; }
    if (child == 0) { exec_server(pointers.data(), log.get(), parent); }
    return child;
}

} // namespace

redis_server::redis_server(redis_server_options options)
    : options_{std::move(options)}, folder_{make_folder()}, maker_{::getpid()} {
    try {
        if (options_.adjustable_clock) { set_clock(0s); }
        if (!options_.config.empty()) { std::ofstream{folder_ / "config"} << options_.config; }
        start();
    } catch (...) {
        end();
        throw;
    }
}

redis_server::~redis_server() {
    if (::getpid() == maker_) { end(); }
}

void redis_server::end() noexcept {
    control_.reset();
    if (!ended()) {
        // It has nothing to save and handles signals only ten times a second: do not wait long.
        constexpr auto grace = 5ms;
        ::kill(pid_, SIGTERM);
        resume();
        if (!eventually([this] { return ended(); }, grace)) { kill(); }
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string redis_server::url() const {
    return (options_.tls ? "rediss://127.0.0.1:" : "redis://127.0.0.1:") + std::to_string(port_);
}

std::string redis_server::log() const {
    std::ostringstream out;
    out << std::ifstream{folder_ / "log"}.rdbuf();
    return out.str();
}

void redis_server::set_clock(std::chrono::seconds offset) {
    const std::int64_t us = std::chrono::microseconds{offset}.count();
    const base::fd file{::open((folder_ / "clock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (!file || ::pwrite(file.get(), &us, sizeof us, 0) != sizeof us) {
        throw std::system_error{errno, std::generic_category(), "set_clock"};
    }
}

std::vector<std::string> redis_server::arguments() const {
    std::vector<std::string> out;
    if (options_.adjustable_clock) {
        out = {"env", "LD_PRELOAD=" HOLDFAST_CLOCK_SHIFT_LIBRARY,
               "HOLDFAST_CLOCK_SHIFT=" + (folder_ / "clock").string()};
    }
    out.push_back(program());
    if (!options_.config.empty()) { out.push_back(folder_ / "config"); }
    out.insert(out.end(), {"--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir",
                           folder_.string(), "--port", options_.tls ? "0" : std::to_string(port_),
                           "--unixsocket", unix_path().string()});
    const auto add = [&](const std::string& name, const std::string& value) {
        if (value.empty()) { return; }
        out.push_back(name);
        out.push_back(value);
    };
    add("--requirepass", options_.password);
    if (options_.cluster) {
        add("--cluster-enabled", "yes");
        add("--cluster-port", std::to_string(bus_port_));
    }
    if (const auto& tls = options_.tls) {
        add("--tls-port", std::to_string(port_));
        add("--tls-cert-file", tls->certificate);
        add("--tls-key-file", tls->private_key);
        add("--tls-ca-cert-file", tls->ca_file);
        add("--tls-auth-clients", tls->auth_clients);
    }
    out.insert(out.end(), options_.arguments.begin(), options_.arguments.end());
    return out;
}

void redis_server::start() {
    const bool keep_port = port_ != 0;
    constexpr int tries = 20;
    for (int i = 0; i < tries; ++i) {
        if (!keep_port) {
            port_ = free_port();
            bus_port_ = options_.cluster ? free_port() : 0;
        }
        if (spawn_and_wait()) { return; }
        if (keep_port) { std::this_thread::sleep_for(10ms); }
    }
    throw std::runtime_error{"no port for " + program() + ", the last one was " +
                             std::to_string(port_)};
}

bool redis_server::spawn_and_wait() {
    std::filesystem::remove(unix_path()); // left by a killed server
    pid_ = spawn(arguments(), folder_ / "log");
    // Over the unix socket: on the port, the server of another test might answer.
    if (eventually([this] { return answers() || ended(); }) && pid_ != 0) { return true; }
    const auto log_text = log();
    if (pid_ == 0 && log_text.find("Address already in use") != std::string::npos) { return false; }
    throw std::runtime_error{program() + " does not start; its log:\n" + log_text};
}

bool redis_server::answers() {
    try {
        redis_raw connection{unix_path()};
        if (!options_.password.empty()) { connection.ask({"AUTH", options_.password}); }
        // An error reply is enough, e.g. that this user has no permission.
        connection.ask({"PING"});
        control_ = std::move(connection);
        return true;
    } catch (const std::runtime_error&) { return false; }
}

bool redis_server::ended() {
    if (pid_ != 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) { pid_ = 0; }
    return pid_ == 0;
}

void redis_server::pause() {
    if (paused_) { return; }
    int status = 0;
    if (ended() || ::kill(pid_, SIGSTOP) != 0 || ::waitpid(pid_, &status, WUNTRACED) != pid_ ||
        !WIFSTOPPED(status)) {
        throw std::runtime_error{"no server to pause; its log:\n" + log()};
    }
    paused_ = true;
}

void redis_server::resume() {
    if (std::exchange(paused_, false) && !ended()) { ::kill(pid_, SIGCONT); }
}

void redis_server::kill() {
    control_.reset();
    paused_ = false;
    if (ended()) { return; } // the kernel may have reused its pid
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
}

void redis_server::restart() {
    kill();
    start();
}

redis_reply redis_server::command(const std::vector<std::string>& command_words) {
    if (!control_) { throw std::runtime_error{command_words.at(0) + ": the server was killed"}; }
    // A sentinel that changes a server's role ends its clients' connections, also this one.
    if (control_->closes(0ms) && !answers()) {
        throw std::runtime_error{command_words.at(0) + ": the server does not answer"};
    }
    return control_->ask(command_words);
}

std::int64_t redis_server::calls_of(const std::string& command_name) {
    const auto all = "\n" + command({"INFO", "commandstats"}).string();
    const auto key = "\ncmdstat_" + command_name + ":calls=";
    const auto at = all.find(key);
    return at == std::string::npos ? 0 : std::stoll(all.substr(at + key.size()));
}

std::int64_t redis_server::stat(std::string_view field) {
    const auto all = "\n" + command({"INFO", "all"}).string();
    const auto key = "\n" + std::string{field} + ":";
    const auto at = all.find(key);
    std::int64_t out = 0;
    const auto* const first = all.data() + at + key.size();
    if (at == std::string::npos ||
        std::from_chars(first, all.data() + all.size(), out).ec != std::errc{}) {
        throw std::runtime_error{"no number in INFO: " + std::string{field}};
    }
    return out;
}

bool redis_server::is_replicated_to(unsigned replicas) {
    const auto text = command({"INFO", "replication"}).string();
    const auto number_after = [&](std::string_view key, std::size_t from) {
        const auto at = text.find(key, from);
        return at == std::string::npos ? -1 : std::stoll(text.substr(at + key.size()));
    };
    const auto written = number_after("master_repl_offset:", 0);
    unsigned complete = 0;
    constexpr std::string_view online = "state=online";
    for (auto at = text.find(online); at != std::string::npos; at = text.find(online, at + 1)) {
        if (number_after(",offset=", at) >= written) { ++complete; }
    }
    return complete >= replicas;
}

void redis_server::flush_all() {
    const auto answer = command({"FLUSHALL"}).text();
    if (answer != "OK") { throw std::runtime_error{"FLUSHALL: " + answer}; }
}

} // namespace holdfast::test
