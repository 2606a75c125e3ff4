#include "holdfast/api/failure.hpp"
#include "holdfast/core/client_core.hpp"

#include <holdfast/client.hpp>

namespace holdfast {

client::client() : client{engine::default_url} {}
client::client(std::string_view url, client_options options)
    : core_{std::make_shared<core::client_core>(url, std::move(options))} {}
client::client(client&&) noexcept = default;
client& client::operator=(client&&) noexcept = default;
client::~client() = default;

namespace {

std::chrono::nanoseconds do_ping(core::client_core& core, std::error_code* failure) {
    api::clear(failure);
    const auto before = core.now();
    const auto report = core.execute(engine::diagnose_op{});
    if (report.failure) { api::fail(failure, report.failure, "ping", report.detail); }
    return core.now() - before;
}

} // namespace

std::chrono::nanoseconds client::ping() { return do_ping(*core_, nullptr); }
std::chrono::nanoseconds client::ping(std::error_code& failure) {
    return do_ping(*core_, &failure);
}

metrics client::metrics() const noexcept { return core_->metrics()->get(); }

std::string client::id() const { return core_->id().text(); }

} // namespace holdfast
