#include "support/sandbox.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::test {

namespace {

std::string read_file(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::vector<char*> to_pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& text : texts) { out.push_back(text.data()); }
    out.push_back(nullptr);
    return out;
}

/// Runs between fork and exec.
[[noreturn]] void exec_command(char* const* argv, char* const* envp, const start_options& options,
                               const char* folder, const int (&files)[3]) {
    // Not in our process group: if it is orphaned, the kernel sends SIGHUP to all of it when a
    // command exits while another one is stopped.
    if (options.own_session) {
        ::setsid();
    } else {
        ::setpgid(0, 0);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // otherwise it would survive a Ctrl-C
    for (const int signal : options.ignored) { ::signal(signal, SIG_IGN); }
    for (int i = 0; i < 3; ++i) { ::dup2(files[i], i); }
    for (const int file : options.closed) { ::close(file); }
    if (::chdir(folder) == 0) { ::execvpe(argv[0], argv, envp); }
    ::_exit(127);
}

} // namespace

running_command::running_command(running_command&& other) noexcept
    : pid_{std::exchange(other.pid_, 0)},
      out_{std::move(other.out_)},
      err_{std::move(other.err_)},
      status_{other.status_} {}

running_command::~running_command() {
    if (pid_ != 0 && !has_ended()) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

void running_command::signal(int number) const { ::kill(pid_, number); }
std::string running_command::out() const { return read_file(out_); }
std::string running_command::err() const { return read_file(err_); }

bool running_command::has_ended() {
    if (status_) { return true; }
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) { return false; }
    status_ = status;
    return true;
}

command_result running_command::wait(milliseconds within) {
    command_result end;
    if (eventually([&] { return has_ended(); }, within)) {
        end.signalled = WIFSIGNALED(*status_);
        end.code = end.signalled ? 128 + WTERMSIG(*status_) : WEXITSTATUS(*status_);
    } else {
        ::kill(pid_, SIGKILL);
    }
    end.out = out();
    end.err = err();
    return end;
}

sandbox::sandbox() {
    std::string pattern = std::filesystem::temp_directory_path() / "holdfast-sandbox-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw std::system_error{errno, std::generic_category(), pattern};
    }
    folder_ = pattern;
    mark_ = "HOLDFAST_TEST_MARK=" + pattern;
}

sandbox::~sandbox() {
    // Repeatedly: processes may still fork.
    for (int round = 0; round < 200; ++round) {
        const auto left = processes();
        if (left.empty()) { break; }
        for (const auto& process : left) { ::kill(process.pid, SIGKILL); }
        std::this_thread::sleep_for(5ms);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string sandbox::content(const std::string& name) const { return read_file(file(name)); }

void sandbox::write(const std::string& name, const std::string& text) const {
    std::ofstream{file(name), std::ios::binary} << text;
}

std::vector<std::string> sandbox::environment(const start_options& options) const {
    std::vector<std::string> out;
    for (char** entry = environ; *entry != nullptr && !options.bare_environment; ++entry) {
        if (!std::string_view{*entry}.starts_with("HOLDFAST_")) { out.emplace_back(*entry); }
    }
    if (!options.bare_environment) { out.push_back("HOLDFAST_URL=" + url()); }
    for (const auto& variable : options.variables) {
        auto text = variable.first;
        text += '=';
        std::erase_if(out, [&text](const auto& entry) { return entry.starts_with(text); });
        text += variable.second;
        out.push_back(std::move(text));
    }
    out.push_back(mark_);
    return out;
}

running_command sandbox::start(const words& command, const start_options& options) {
    const auto number = std::to_string(++started_);
    const auto in =
        options.input.empty() ? std::filesystem::path{"/dev/null"} : file("in." + number);
    const auto out = file("out." + number);
    const auto err = file("err." + number);
    if (!options.input.empty()) { write("in." + number, options.input); }
    constexpr int create = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    const int files[3] = {::open(in.c_str(), O_RDONLY | O_CLOEXEC),
                          ::open(out.c_str(), create, 0600), ::open(err.c_str(), create, 0600)};
    auto argument_texts = command;
    auto variables = environment(options);
    const auto argv = to_pointers(argument_texts);
    const auto envp = to_pointers(variables);
    const auto child = ::fork();
    if (child < 0) { throw std::system_error{errno, std::generic_category(), "fork"}; }
    if (child == 0) { exec_command(argv.data(), envp.data(), options, folder_.c_str(), files); }
    for (const int file : files) { ::close(file); }
    return {child, out, err};
}

command_result sandbox::run(const words& command, const start_options& options) {
    return start(command, options).wait();
}

std::string sandbox::left_over(milliseconds within) const {
    if (eventually([&] { return processes().empty(); }, within)) { return {}; }
    std::string out;
    for (const auto& process : processes()) {
        out += std::to_string(process.pid) + " " + process.state + " " +
               command_line_of(process.pid) + "\n";
    }
    return out;
}

} // namespace holdfast::test
