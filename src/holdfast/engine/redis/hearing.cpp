// The part of the engine that hears: replies to what was asked, and messages in the inbox.

#include "holdfast/engine/redis/failure.hpp"
#include "holdfast/engine/redis/redis_engine.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

namespace {

/// The value of a line `key:value` in INFO's text.
std::string_view info_line(std::string_view text, std::string_view key) {
    const auto at = text.find(std::string{"\n"} + std::string{key} + ":");
    if (at == std::string_view::npos) { return {}; }
    text.remove_prefix(at + key.size() + 2);
    return text.substr(0, text.find_first_of("\r\n"));
}

/// Whether a reply has the form of an answer to this. If it has not, answers and requests no longer
/// belong together.
bool answers(const flight& request, const reply& reply) {
    switch (request.kind) {
    case request_kind::acquire:
        return reply.is_integer() || (reply.is_array() && reply.number(0) > 0);
    case request_kind::take: return reply.is_text();
    case request_kind::release:
    case request_kind::withdraw:
    case request_kind::undo: return reply.is_integer();
    case request_kind::beat: return reply.is_array() && reply.size() == request.items.size();
    case request_kind::inspect:
    case request_kind::listed: return reply.size() == 6;
    case request_kind::scan:
    case request_kind::time: return reply.size() == 2;
    case request_kind::subscribe: return false; // a push, or an error
    case request_kind::diagnose:
    case request_kind::load: return reply.is_text() || reply.is_error();
    }
    return false;
}

} // namespace

void redis_engine::say(const flight& to, answer&& answer) {
    if (to.answered || to.cancelled) { return; }
    answer.id = to.id;
    sink_->answered(std::move(answer));
}

void redis_engine::fail(op_id id, std::error_code code, const std::string& detail, op_status status,
                        bool retry_now) {
    answer out;
    out.id = id;
    out.status = status;
    out.error = code;
    out.detail = detail;
    out.retry_now = retry_now;
    sink_->answered(std::move(out));
}

void redis_engine::heard(const reply& reply, instant now) {
    if (flights_.empty()) {
        link_.break_off(errc::unavailable, server() + ": an answer to nothing");
        return;
    }
    if (flights_.front().exchanged) { return heard_exchange(reply, now); }
    flight& request = flights_.front();
    if (!reply.is_error() && !answers(request, reply)) {
        link_.break_off(errc::unavailable, server() + ": an answer to something else");
        return; // what became of the request is not known
    }
    if (on_the_way_ > 0) { --on_the_way_; }
    if (reply.is_error() && request.kind != request_kind::diagnose) {
        heard_error(request, reply, now);
    } else {
        heard(request, reply, now);
    }
    if (request.quiet) { --quiet_; }
    flights_.drop_first();
}

void redis_engine::heard_exchange(const reply& reply, instant now) {
    flight& given_up = flights_[0];
    flight& request = flights_[1];
    const auto of_acquire = is_of_both(reply) ? reply[2] : reply;
    if (!reply.is_error() && !answers(request, of_acquire)) {
        link_.break_off(errc::unavailable, server() + ": an answer to something else");
        return;
    }
    on_the_way_ -= std::min<std::size_t>(on_the_way_, 2);
    if (reply.is_error()) {
        // It may be due to either of them, and the release may have been done: each is to be asked
        // for again by itself.
        const auto why = explain(reply.text(), where_.server.text());
        if (why.scripts_are_gone) { load_scripts_again(now); }
        for (const flight* const each : {&given_up, &request}) {
            if (each->answered || each->cancelled) { continue; }
            fail(each->id, why.code, why.detail, op_status::unknown, why.scripts_are_gone);
        }
    } else {
        say(given_up, read_exchanged(reply));
        heard_acquire(request, of_acquire, now);
    }
    for (const flight* const each : {&given_up, &request}) { quiet_ -= each->quiet ? 1U : 0U; }
    flights_.drop_first();
    flights_.drop_first();
}

void redis_engine::heard(flight& request, const reply& reply, instant now) {
    switch (request.kind) {
    case request_kind::acquire: heard_acquire(request, reply, now); break;
    case request_kind::take: heard_take(request, reply, now); break;
    case request_kind::release:
        if (request.in != nullptr) {
            heard_released(request, reply, now);
        } else {
            say(request, read_release(reply));
        }
        break;
    case request_kind::withdraw:
        note_remembered(request);
        say(request, read_withdraw(reply));
        break;
    case request_kind::beat: heard_beat(request, reply); break;
    case request_kind::inspect: {
        answer out;
        out.status = op_status::reported;
        report found;
        found.locks.push_back(request.in != nullptr
                                  ? read_foreign_inspect(reply, std::move(request.ticket.name))
                                  : read_inspect(reply, std::move(request.ticket.name)));
        out.report = std::make_shared<const report>(std::move(found));
        say(request, std::move(out));
        break;
    }
    case request_kind::scan: heard_scan(request, reply, now); break;
    case request_kind::listed: heard_listed(request, reply); break;
    case request_kind::diagnose: heard_diagnosis(request, reply); break;
    case request_kind::time:
        clock_.learn(reply.number(0) * 1'000'000 + reply.number(1), request.sent, now);
        break;
    case request_kind::undo: note_remembered(request); break;
    case request_kind::subscribe:
    case request_kind::load: break;
    }
}

void redis_engine::load_scripts_again(instant now) {
    for (std::size_t at = 0; at < flights_.size(); ++at) {
        if (flights_[at].kind == request_kind::load) { return; } // on its way
    }
    load_scripts(now);
}

void redis_engine::heard_error(flight& request, const reply& reply, instant now) {
    auto why = explain(reply.text(), where_.server.text());
    if (why.scripts_are_gone && request.kind != request_kind::load) { load_scripts_again(now); }
    if (request.list && why.code == errc::store_foreign) {
        heard_listed(request, reply); // no lock of ours: left out
    } else if (request.list && std::exchange(request.list->failed, true)) {
        return; // one answer is enough
    } else if (!request.answered && !request.cancelled && request.id != 0) {
        fail(request.id, why.code, why.detail, op_status::failed, why.scripts_are_gone);
    }
}

void redis_engine::heard_acquire(flight& request, const reply& reply, instant now) {
    const auto server_now = late_since(reply);
    if (server_now > 0) {
        clock_.learn(server_now, request.sent, now);
        if (now <= request.not_after && !request.answered && !request.cancelled) {
            // Not late at all: the server's clock is not what it was taken for.
            const bool in_time = now <= counts_until(request);
            fail(request.id, errc::unavailable,
                 server() + (in_time ? ": its clock has been changed" : ": it is too slow"),
                 op_status::failed, in_time);
            return;
        }
    }
    if (request.in != nullptr) { return heard_foreign(request, reply, now); }
    answer out = read_acquire(reply);
    if (request.quiet) { crowded_ = out.status == op_status::queued && reply.is_integer(); }
    if (request.cancelled &&
        (out.status == op_status::granted || out.status == op_status::queued)) {
        ours(request_kind::undo, now, [&](std::string& bytes, flight& /*made*/) {
            layout_.withdraw(bytes, request.ticket, 0);
        });
        return;
    }
    say(request, std::move(out));
}

void redis_engine::heard_beat(const flight& request, const reply& reply) {
    answer out;
    out.status = op_status::renewed; // the batch as a whole was done
    out.beats.reserve(request.items.size());
    for (std::size_t at = 0; at < request.items.size() && at < reply.size(); ++at) {
        out.beats.push_back(read_beat(reply[at], where_.server.text()));
        out.beats.back().ticket = request.items[at];
    }
    say(request, std::move(out));
}

void redis_engine::heard_scan(const flight& request, const reply& reply, instant now) {
    auto job = std::make_shared<list_job>();

    if (reply.word(0) != "0") { job->page.cursor = reply.word(0); }
    std::vector<std::string> names;
    const std::size_t found = reply.size() > 1 ? reply[1].size() : 0;
    for (std::size_t at = 0; at < found; ++at) {
        if (auto name = layout_.name_of(reply[1].word(at))) { names.push_back(std::move(*name)); }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const std::string_view cursor = request.ticket.name;
    const auto mark = cursor.find('>');
    if (mark != std::string_view::npos) {
        std::erase_if(names,
                      [&](const std::string& one) { return one <= cursor.substr(mark + 1); });
    }
    if (names.size() > request.count) {
        names.resize(request.count);
        job->page.cursor = std::string{cursor.substr(0, mark)} + '>' + names.back();
    }
    job->missing = names.size();
    for (auto& name : names) {
        flight& next = take_off(request_kind::listed, now);
        next.id = request.id;
        next.give_up = request.give_up;
        next.answered = request.answered;
        next.cancelled = request.cancelled;
        next.list = job;
        auto& bytes = link_.now()->out();
        const auto before = bytes.size();
        layout_.inspect(bytes, name);
        written_ += bytes.size() - before;
        next.end = written_;
        next.ticket.name = std::move(name);
    }
    if (names.empty()) {
        answer out;
        out.status = op_status::reported;
        out.report = std::make_shared<const report>(std::move(job->page));
        say(request, std::move(out));
    }
}

void redis_engine::heard_listed(const flight& request, const reply& reply) {
    list_job& job = *request.list;
    if (job.failed) { return; }
    if (!reply.is_error()) {
        auto found = read_inspect(reply, request.ticket.name);
        if (!found.holders.empty() || !found.waiters.empty()) {
            job.page.locks.push_back(std::move(found));
        }
    }
    if (--job.missing > 0) { return; }
    answer out;
    out.status = op_status::reported;
    out.report = std::make_shared<const report>(std::move(job.page));
    say(request, std::move(out));
}

void redis_engine::heard_diagnosis(const flight& request, const reply& reply) {
    report found;
    found.text = link_.now()->about() + " at " + where_.server.text();
    const auto policy = info_line(reply.text(), "maxmemory_policy");
    if (policy.empty()) {
        found.text += "; its eviction policy cannot be seen by this user: only noeviction is safe";
    } else if (policy != "noeviction" && info_line(reply.text(), "maxmemory") != "0") {
        found.text += "; its eviction policy " + std::string{policy} +
                      " can remove locks: set maxmemory-policy noeviction";
    }
    answer out;
    out.status = op_status::reported;
    out.report = std::make_shared<const report>(std::move(found));
    say(request, std::move(out));
}

void redis_engine::heard_message(const reply& reply, instant now) {
    const bool is_message = reply.word(0) == "message";
    if (is_message && reply.word(1) == layout_.inbox_of_all()) {
        sink_->noticed({notice::kind::inbox_reset, 0, 0});
        return;
    }
    if (!is_message || reply.word(1) != layout_.inbox()) { return heard_push(reply, now); }
    const notice notice = read_message(reply.word(2));
    if (notice.type != notice::kind::inbox_reset) { sink_->noticed(notice); }
}

} // namespace holdfast::engine::redis
