#include "holdfast/engine/redis/node/incarnation.hpp"

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <holdfast/error.hpp>

#include <array>
#include <utility>

namespace holdfast::engine::redis {

namespace {

constexpr std::array<const script*, 1> verify_script{&scripts::verify};
constexpr base::milliseconds replica_timeout{100};
constexpr base::milliseconds pause_between{100};

std::string us_text(base::milliseconds span) {
    return std::to_string(std::chrono::microseconds{span}.count());
}

} // namespace

incarnation::incarnation(pipeline& requests, script_cache& scripts, const std::string& prefix,
                         base::milliseconds max_lease, unsigned replicas)
    : requests_{requests},
      scripts_{scripts},
      key_{prefix + "run"},
      ack_key_{prefix + "ack"},
      max_lease_{max_lease},
      replicas_{replicas},
      state_{max_lease.count() > 0 ? state::unknown : state::off} {}

void incarnation::start_session(base::instant now) {
    if (!is_on()) { return; }
    state_ = state::asking;
    ask({}, now);
}

void incarnation::end_session() noexcept {
    if (is_on()) { state_ = state::unknown; }
    due_ = base::never;
    questions_ = 0;
    news_ = false;
    fault_.reset();
}

void incarnation::ask(std::string_view claimed, base::instant now) {
    scripts_.ensure(verify_script, now);
    asked_ = now;
    ++questions_;
    requests_.enqueue(*this, static_cast<std::uint8_t>(request_kind::verify), nullptr, now,
                      [&](std::string& out) {
                          std::string max_lease;
                          append_padded(max_lease, static_cast<std::uint64_t>(max_lease_.count()),
                                        fields::run_max_lease.length);
                          append_call(out, scripts::verify, 1, 3);
                          append_bulk(out, key_);
                          append_bulk(out, max_lease);
                          append_bulk(out, us_text(grace_period(max_lease_)));
                          append_bulk(out, claimed);
                      });
}

void incarnation::refresh(base::instant now) {
    if (state_ != state::known || questions_ > 0) { return; }
    if (now - verified_ >= grace_period(max_lease_) / 2) { ask({}, now); }
}

void incarnation::confirm(base::instant now) {
    if (state_ == state::known) { ask({}, now); }
}

void incarnation::on_stale(base::instant now) {
    if (state_ != state::known) { return; }
    state_ = state::asking;
    ask({}, now);
}

void incarnation::on_timer(base::instant now) {
    if (now < due_) { return; }
    due_ = base::never;
    if (state_ != state::pausing) { return; }
    state_ = state::asking;
    ask({}, now);
}

void incarnation::pause(base::instant now) {
    state_ = state::pausing;
    due_ = now + pause_between;
}

void incarnation::fail(std::error_code code, std::string reason) {
    state_ = state::unknown;
    fault_ = rejection{code, std::move(reason)};
}

std::string incarnation::trouble() const {
    return state_ == state::following || state_ == state::pausing
               ? ": it has new data, and fewer than " + std::to_string(replicas_) +
                     " replicas follow it; see whether they are connected, or lower replicas in "
                     "the URL"
               : ": its data is being verified (max_lease)";
}

bool incarnation::on_reply(request& request, const reply& reply, base::instant now) {
    if (request.is(request_kind::verify)) {
        if (reply.size() != 4) { return false; }
        on_verified(reply, now);
        return true;
    }
    if (request.is(request_kind::write)) { return true; }
    if (!reply.is_integer()) { return false; }
    if (state_ != state::following) { return true; }
    if (reply.integer() < replicas_) {
        pause(now);
    } else {
        state_ = state::asking;
        ask(id_, now);
    }
    return true;
}

void incarnation::on_verified(const reply& reply, base::instant now) {
    --questions_;
    const base::milliseconds max_lease{reply.number(2)};
    if (max_lease != max_lease_) {
        return fail(make_error_code(errc::invalid_option),
                    ": max_lease is " + std::to_string(max_lease.count()) + " ms there, and " +
                        std::to_string(max_lease_.count()) +
                        " ms in this URL; all clients of a server need the same");
    }
    const bool was_known = state_ == state::known;
    const bool is_claimed = reply.number(1) == 0;
    if (was_known && (is_claimed || reply.word(0) != id_)) {
        return fail(make_error_code(errc::unavailable),
                    ": it has lost data, or was replaced meanwhile; connecting again");
    }
    id_ = reply.word(0);
    verified_ = asked_;
    if (!is_claimed) {
        news_ = news_ || !was_known;
        state_ = state::known;
    } else if (replicas_ == 0) {
        state_ = state::asking;
        ask(id_, now);
    } else {
        state_ = state::following;
        ask_replicas(now);
    }
}

/// The claim may be another client's, and WAIT covers only what this one has written: see
/// replica_wait.
void incarnation::ask_replicas(base::instant now) {
    const auto enqueue = [&](request_kind kind, auto write) {
        requests_.enqueue(*this, static_cast<std::uint8_t>(kind), nullptr, now, write);
    };
    enqueue(request_kind::write, [this](std::string& out) {
        append_command(out, {"SET", ack_key_, "", "PX", "3600000"});
    });
    enqueue(request_kind::wait, [this](std::string& out) {
        append_command(
            out, {"WAIT", std::to_string(replicas_), std::to_string(replica_timeout.count())});
    });
}

void incarnation::on_error(request& request, const server_error& error, base::instant now) {
    const bool verifies = request.is(request_kind::verify);
    if (verifies) { --questions_; }
    const bool forbidden = error.code == errc::store_forbidden;
    if (!verifies && !forbidden) { return pause(now); } // it is a replica now
    if (error.scripts_are_gone && state_ != state::known) { return pause(now); }
    const char* const rule =
        forbidden ? "; add +info, +set and +wait to the user's rule (max_lease needs them)" : "";
    fail(error.code, error.detail.substr(error.detail.find(": ")) + rule);
}

} // namespace holdfast::engine::redis
