#include "support/scene.hpp"

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

std::string content_of(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& one : texts) { out.push_back(one.data()); }
    out.push_back(nullptr);
    return out;
}

/// Between fork and exec.
[[noreturn]] void become(char* const* argv, char* const* envp, const start_options& options,
                         const char* folder, const int (&files)[3]) {
    // Not in our group: if that has no shell that watches it, the kernel hangs up on the whole of
    // it when a command ends while something in it is stopped.
    if (options.own_session) {
        ::setsid();
    } else {
        ::setpgid(0, 0);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // or it would outlive a Ctrl-C
    for (const int signal : options.ignored) { ::signal(signal, SIG_IGN); }
    for (int i = 0; i < 3; ++i) { ::dup2(files[i], i); }
    for (const int file : options.closed) { ::close(file); }
    if (::chdir(folder) == 0) { ::execvpe(argv[0], argv, envp); }
    ::_exit(127);
}

} // namespace

running::running(running&& other) noexcept
    : pid_{std::exchange(other.pid_, 0)},
      out_{std::move(other.out_)},
      err_{std::move(other.err_)},
      status_{other.status_} {}

running::~running() {
    if (pid_ != 0 && !over()) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

void running::signal(int number) const { ::kill(pid_, number); }
std::string running::out() const { return content_of(out_); }
std::string running::err() const { return content_of(err_); }

bool running::over() {
    if (status_) { return true; }
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) { return false; }
    status_ = status;
    return true;
}

outcome running::wait(milliseconds within) {
    outcome end;
    if (eventually([&] { return over(); }, within)) {
        end.signalled = WIFSIGNALED(*status_);
        end.code = end.signalled ? 128 + WTERMSIG(*status_) : WEXITSTATUS(*status_);
    } else {
        ::kill(pid_, SIGKILL);
    }
    end.out = out();
    end.err = err();
    return end;
}

scene::scene() {
    std::string pattern = std::filesystem::temp_directory_path() / "holdfast-scene-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw std::system_error{errno, std::generic_category(), pattern};
    }
    folder_ = pattern;
    mark_ = "HOLDFAST_TEST_MARK=" + pattern;
}

scene::~scene() {
    // Several times: a guardian that sees its child die may still start something.
    for (int round = 0; round < 200; ++round) {
        const auto left = processes();
        if (left.empty()) { break; }
        for (const auto& one : left) { ::kill(one.pid, SIGKILL); }
        std::this_thread::sleep_for(5ms);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string scene::content(const std::string& name) const { return content_of(file(name)); }

void scene::write(const std::string& name, const std::string& text) const {
    std::ofstream{file(name), std::ios::binary} << text;
}

std::vector<std::string> scene::environment(const start_options& options) const {
    std::vector<std::string> out;
    for (char** each = environ; *each != nullptr && !options.bare_environment; ++each) {
        if (!std::string_view{*each}.starts_with("HOLDFAST_")) { out.emplace_back(*each); }
    }
    if (!options.bare_environment) { out.push_back("HOLDFAST_URL=" + url()); }
    for (const auto& variable : options.variables) {
        auto text = variable.first;
        text += '=';
        std::erase_if(out, [&text](const auto& one) { return one.starts_with(text); });
        text += variable.second;
        out.push_back(std::move(text));
    }
    out.push_back(mark_);
    return out;
}

running scene::start(const words& command, const start_options& options) {
    const auto number = std::to_string(++started_);
    const auto in =
        options.input.empty() ? std::filesystem::path{"/dev/null"} : file("in." + number);
    const auto out = file("out." + number);
    const auto err = file("err." + number);
    if (!options.input.empty()) { write("in." + number, options.input); }
    constexpr int make = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    const int files[3] = {::open(in.c_str(), O_RDONLY | O_CLOEXEC), ::open(out.c_str(), make, 0600),
                          ::open(err.c_str(), make, 0600)};
    auto argument_texts = command;
    auto variables = environment(options);
    const auto argv = pointers(argument_texts);
    const auto envp = pointers(variables);
    const auto child = ::fork();
    if (child < 0) { throw std::system_error{errno, std::generic_category(), "fork"}; }
    if (child == 0) { become(argv.data(), envp.data(), options, folder_.c_str(), files); }
    for (const int each : files) { ::close(each); }
    return {child, out, err};
}

outcome scene::run(const words& command, const start_options& options) {
    return start(command, options).wait();
}

std::string scene::left_over(milliseconds within) const {
    if (eventually([&] { return processes().empty(); }, within)) { return {}; }
    std::string out;
    for (const auto& one : processes()) {
        out += std::to_string(one.pid) + " " + one.state + " " + command_line_of(one.pid) + "\n";
    }
    return out;
}

} // namespace holdfast::test
