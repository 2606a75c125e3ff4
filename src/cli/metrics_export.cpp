#include "cli/metrics_export.hpp"

#include "cli/messages.hpp"
#include "holdfast/base/fd.hpp"
#include "holdfast/base/process.hpp"

#include <holdfast/error.hpp>
#include <holdfast/metrics_server.hpp>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace holdfast::cli {

namespace {

constexpr std::chrono::seconds write_interval{5};

[[noreturn]] void fail(const std::string& path, int error) {
    throw std::runtime_error{path + " cannot be written (" +
                             std::generic_category().message(error) +
                             "); check the folder of --metrics"};
}

/// Writes a new file beside it and renames that. No fsync: a crash of the machine may lose it.
void replace_file(const std::string& path, std::string_view text) {
    const auto draft = path + '.' + std::to_string(::getpid()) + ".tmp";
    {
        constexpr mode_t readable = 0644;
        const base::fd file{
            ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, readable)};
        if (!file) { fail(draft, errno); }
        while (!text.empty()) {
            const auto count = ::write(file.get(), text.data(), text.size());
            if (count < 0 && errno == EINTR) { continue; }
            if (count <= 0) {
                const int error = count < 0 ? errno : EIO;
                ::unlink(draft.c_str());
                fail(draft, error);
            }
            text.remove_prefix(static_cast<std::size_t>(count));
        }
    }
    if (::rename(draft.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::unlink(draft.c_str());
        fail(path, error);
    }
}

void warn(const std::exception& problem) {
    print_message("no metrics: " + std::string{problem.what()}, log_level::warning);
}

} // namespace

/// Writes the file at once, in intervals, and when it is destroyed.
class metrics_export::file_writer {
public:
    file_writer(const client& client, std::string path, const std::string& lock)
        : client_{client}, path_{std::move(path)}, labels_{{"lock", lock}} {
        write();
        thread_ = base::library_thread("holdfast-metrics", [this] { run(); });
    }
    file_writer(const file_writer&) = delete;
    file_writer& operator=(const file_writer&) = delete;
    ~file_writer() {
        {
            const std::lock_guard lock{mutex_};
            stopped_ = true;
        }
        changed_.notify_all();
        thread_.join();
        try_to_write();
    }

private:
    void write() const { replace_file(path_, to_prometheus(client_.metrics(), labels_)); }

    /// One warning is enough.
    void try_to_write() noexcept {
        try {
            write();
            warned_ = false;
        } catch (const std::exception& problem) {
            if (!warned_) { warn(problem); }
            warned_ = true;
        }
    }
    void run() noexcept {
        std::unique_lock lock{mutex_};
        while (!changed_.wait_for(lock, write_interval, [this] { return stopped_; })) {
            try_to_write();
        }
    }

    const client& client_;
    const std::string path_;
    const std::vector<metric_label> labels_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopped_ = false;
    bool warned_ = false; ///< of the thread, and of the destructor after it
    std::thread thread_;
};

class metrics_export::http_endpoint {
public:
    http_endpoint(const client& client, const std::string& address, const std::string& lock)
        : server_{metrics_server_options{.address = address}} {
        server_.add(client, {{"lock", lock}});
    }
    [[nodiscard]] std::string address() const { return server_.address(); }

private:
    metrics_server server_;
};

bool names_metrics_file(const std::string& target) {
    return target.find('/') != std::string::npos || target.ends_with(".prom");
}

void check_metrics_target(const std::string& target) {
    if (target.empty() || names_metrics_file(target)) { return; }
    const auto colon = target.rfind(':');
    const auto host = target.substr(0, colon == std::string::npos ? 0 : colon);
    const auto port = target.substr(colon + 1); // npos + 1 is 0: the whole
    std::uint16_t number = 0;
    const auto* const end = port.data() + port.size();
    const auto [rest, failure] = std::from_chars(port.data(), end, number);
    const bool is_port = failure == std::errc{} && rest == end;
    const bool in_brackets = host.starts_with('[') && host.ends_with(']');
    if (!is_port || (host.find(':') != std::string::npos && !in_brackets)) {
        throw error{errc::invalid_option,
                    "--metrics " + target +
                        ": neither an address with a port from 0 to 65535 nor a file; write 9464, "
                        "HOST:9464, [IPv6]:9464, /path/to/file or name.prom"};
    }
}

metrics_export::metrics_export(const client& client, const std::string& target,
                               const std::string& lock) {
    if (target.empty()) { return; }
    try {
        if (names_metrics_file(target)) {
            file_ = std::make_unique<file_writer>(client, target, lock);
        } else {
            http_ = std::make_unique<http_endpoint>(client, target, lock);
            if (target.ends_with(":0") || target == "0") {
                print_message("metrics at http://" + http_->address() + "/metrics",
                              log_level::info);
            }
        }
    } catch (const std::exception& problem) { warn(problem); }
}

metrics_export::~metrics_export() = default;

} // namespace holdfast::cli
