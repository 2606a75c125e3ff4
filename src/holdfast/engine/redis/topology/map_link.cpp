#include "holdfast/engine/redis/topology/map_link.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

namespace {

/// How long a node may take to answer before the next one is asked: the first may have crashed.
constexpr base::milliseconds patience{500};

options with_patience(options out) {
    out.connect_timeout = std::min(out.connect_timeout, patience);
    return out;
}

bool is_same(const net::endpoint& one, const net::endpoint& other) {
    return one.host == other.host && one.port == other.port;
}

} // namespace

map_link::map_link(const options& options)
    : options_{with_patience(options)}, reconnector_{options_, *this, [](instant) {
                                                         connection::first_commands none;
                                                         none.resp3 = false;
                                                         return none;
                                                     }} {}

std::optional<net::endpoint> map_link::endpoint(instant /*now*/, connect_when /*when*/) {
    if (!asking_) { return std::nullopt; }
    return servers_[current_];
}

std::string map_link::server() const {
    return servers_.empty() ? "the cluster" : "Redis at " + servers_[current_].text();
}

std::optional<rejection> map_link::reject(const hello& hello) const {
    if (hello.mode == "cluster") { return std::nullopt; }
    return rejection{errc::unsupported, " runs in mode " + std::string{hello.mode} +
                                            " and is not part of a cluster; for a server that runs "
                                            "alone write redis://"};
}

void map_link::ask(std::vector<net::endpoint> servers, bool another, instant now) {
    if (asking_) {
        waiting_ = std::move(servers);
        return;
    }
    // Begins where it is connected, or behind that.
    std::size_t first = 0;
    if (const auto* const open = reconnector_.current(); open != nullptr && !servers_.empty()) {
        const auto found =
            std::find_if(servers.begin(), servers.end(), [this](const net::endpoint& each) {
                return is_same(each, servers_[current_]);
            });
        if (found != servers.end()) {
            first = static_cast<std::size_t>(found - servers.begin()) + (another ? 1 : 0);
        }
    }
    servers_ = std::move(servers);
    current_ = first % servers_.size();
    if (another || !reconnector_.is_ready()) { close(now); }
    begin(now);
}

/// Ends the connection, and lets it be reported, so that the next one can be opened.
void map_link::close(instant now) {
    reconnector_.break_off(errc::unavailable, "another node is asked");
    if (reconnector_.has_end_to_report()) { static_cast<void>(reconnector_.drive({}, now, {})); }
}

void map_link::begin(instant now) {
    asking_ = true;
    tried_ = 0;
    failure_ = {};
    ask_current(now);
}

void map_link::ask_current(instant now) {
    failed_ = answered_ = query_in_flight_ = false;
    asked_ = now;
    if (reconnector_.is_ready()) { return send_query(now); }
    reconnector_.open(now, connect_when::at_once);
}

void map_link::ask_next(instant now) {
    current_ = (current_ + 1) % servers_.size();
    close(now);
    ask_current(now);
}

void map_link::send_query(instant now) {
    append_command(reconnector_.current()->output().unsent, {"CLUSTER", "SLOTS"});
    query_in_flight_ = true;
    asked_ = now;
    reconnector_.current()->flush();
}

/// A reason that will not change is worth more than one that may.
void map_link::note_failure(std::error_code code, std::string text) {
    failed_ = true;
    if (failure_.text.empty() || failure_.code == errc::unavailable) {
        failure_ = {code, std::move(text)};
    }
}

void map_link::on_data(const reply& reply) {
    if (!std::exchange(query_in_flight_, false)) { return; }
    if (reply.is_error()) {
        auto error = parse_server_error(reply.text(), servers_[current_].text());
        return note_failure(error.code, std::move(error.detail));
    }
    auto slots = read_slots(reply, servers_[current_].host);
    if (!slots) {
        return note_failure(make_error_code(errc::unavailable),
                            server() +
                                ": it sent a reply that was not expected; check the address");
    }
    if (slots->empty()) {
        return note_failure(make_error_code(errc::unavailable),
                            server() + ": its cluster has no slots; see CLUSTER INFO there");
    }
    slots_ = std::move(*slots);
    answered_ = true;
}

map_link::outcome map_link::drive(std::span<const pollfd> ready, instant now) {
    const auto change =
        reconnector_.drive(ready, now, [this](const reply& reply) { on_data(reply); });
    if (!asking_) { return outcome::none; }
    if (change == reconnector::change::ready) { send_query(now); }
    if (change == reconnector::change::ended) {
        note_failure(reconnector_.code(), reconnector_.detail());
    }
    if (!failed_ && !answered_ && now >= asked_ + patience) {
        note_failure(make_error_code(errc::unavailable),
                     server() + ": no answer within " + std::to_string(patience.count()) + " ms");
    }
    if (answered_) {
        asking_ = false;
        if (!waiting_.empty()) { ask(std::exchange(waiting_, {}), false, now); }
        return outcome::found;
    }
    if (!failed_) { return outcome::none; }
    if (++tried_ < servers_.size()) {
        ask_next(now);
        return outcome::none;
    }
    asking_ = false;
    waiting_.clear();
    close(now);
    return outcome::failed;
}

instant map_link::due() const noexcept {
    if (!asking_) { return reconnector_.is_down() ? base::never : reconnector_.due(); }
    return std::min(reconnector_.due(), asked_ + patience);
}

void map_link::reset() noexcept {
    reconnector_.break_off(errc::unavailable, "out of memory"); // needs no allocation
}

} // namespace holdfast::engine::redis
