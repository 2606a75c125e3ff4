#pragma once
// `holdfast run --metrics ADDR|FILE`: shows the metrics of the guardian's client.

#include <holdfast/client.hpp>

#include <memory>
#include <string>

namespace holdfast::cli {

/// Where the metrics go: a file has a `/` or ends in .prom, the rest is an address.
[[nodiscard]] bool names_metrics_file(const std::string& target);

/// Throws error(invalid_option) if the target cannot be one, e.g. an address without a port.
void check_metrics_target(const std::string& target);

/// Serves the metrics over HTTP, or writes them to the file: at once, every 5 s, and at the end.
/// The file is replaced by rename(), so that a reader never sees half of it. If neither is
/// possible a warning is printed, and the job runs: it matters more than its metrics.
class metrics_export {
public:
    /// `target` is empty: does nothing. The lock's name becomes the label `lock`.
    metrics_export(const client& client, const std::string& target, const std::string& lock);
    metrics_export(const metrics_export&) = delete;
    metrics_export& operator=(const metrics_export&) = delete;
    ~metrics_export();

private:
    class file_writer;
    class http_endpoint;

    std::unique_ptr<file_writer> file_;
    std::unique_ptr<http_endpoint> http_;
};

} // namespace holdfast::cli
