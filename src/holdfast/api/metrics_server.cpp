#include "holdfast/api/access.hpp"
#include "holdfast/base/process.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/http/http_server.hpp"

#include <holdfast/error.hpp>
#include <holdfast/metrics_server.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace holdfast {

namespace {

http::listen_address parse_address(const std::string& text) {
    try {
        return http::listen_address::parse(text);
    } catch (const std::invalid_argument& problem) {
        throw error{errc::invalid_option, "metrics address '" + text + "': " + problem.what()};
    }
}

} // namespace

class metrics_server::state {
public:
    explicit state(const std::string& address) {
        const auto listen_at = parse_address(address);
        try {
            server_.emplace(
                http::listen_on(listen_at),
                http::server_settings{.handle = [this](const http::http_request& request) {
                    return answer(request.path);
                }});
        } catch (const std::system_error& problem) {
            const auto code = problem.code();
            if (code == std::errc::resource_unavailable_try_again) {
                throw error{errc::limit_reached, base::thread_refused_text(problem)};
            }
            const bool exhausted = code == std::errc::too_many_files_open ||
                                   code == std::errc::too_many_files_open_in_system ||
                                   code == std::errc::not_enough_memory;
            throw error{exhausted ? errc::limit_reached : errc::invalid_option,
                        "metrics address '" + address + "': cannot listen there (" +
                            problem.what() + "); choose another address"};
        }
    }

    void add(const client& client, std::vector<metric_label> labels) {
        static_cast<void>(to_prometheus(metrics{}, labels)); // checks the labels
        const auto& core = detail::access::core(client);
        const std::lock_guard lock{mutex_};
        sources_.push_back({core, core->metrics(), std::move(labels)});
    }

    [[nodiscard]] const std::string& address() const noexcept { return server_->address(); }

private:
    struct source {
        std::weak_ptr<const core::client_core> alive;
        std::shared_ptr<const drive::client_metrics> counted;
        std::vector<metric_label> labels;
    };

    [[nodiscard]] http::response answer(std::string_view path) {
        if (path == "/") { return {.body = "Holdfast's metrics are at /metrics\n"}; }
        if (path != "/metrics") { return {.status = 404, .body = "see /metrics\n"}; }
        std::vector<labelled_metrics> clients;
        {
            const std::lock_guard lock{mutex_};
            std::erase_if(sources_, [](const source& each) { return each.alive.expired(); });
            for (const auto& each : sources_) {
                clients.push_back({each.counted->get(), each.labels});
            }
        }
        return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
                .body = to_prometheus(clients)};
    }

    std::mutex mutex_;
    std::vector<source> sources_;
    std::optional<http::http_server> server_; // last: its thread ends first
};

metrics_server::metrics_server(const metrics_server_options& options)
    : state_{std::make_unique<state>(options.address)} {}
metrics_server::metrics_server(const client& client, const metrics_server_options& options)
    : metrics_server{options} {
    add(client);
}
metrics_server::~metrics_server() = default;

void metrics_server::add(const client& client, std::vector<metric_label> labels) {
    state_->add(client, std::move(labels));
}

std::string metrics_server::address() const { return state_->address(); }

} // namespace holdfast
