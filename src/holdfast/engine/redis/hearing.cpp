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
bool answers(const flight& of, const reply& said) {
    switch (of.what) {
    case asked::acquire: return said.is_integer() || (said.is_array() && said.number(0) > 0);
    case asked::take: return said.is_text();
    case asked::release:
    case asked::withdraw:
    case asked::undo: return said.is_integer();
    case asked::beat: return said.is_array() && said.size() == of.items.size();
    case asked::inspect:
    case asked::listed: return said.size() == 6;
    case asked::scan:
    case asked::time: return said.size() == 2;
    case asked::subscribe: return false; // a push, or an error
    case asked::diagnose:
    case asked::load: return said.is_text() || said.is_error();
    }
    return false;
}

} // namespace

void redis_engine::say(const flight& to, answer&& what) {
    if (to.answered || to.cancelled) { return; }
    what.id = to.id;
    sink_->answered(std::move(what));
}

void redis_engine::fail(op_id id, std::error_code code, const std::string& detail, fate what,
                        bool retry_now) {
    answer out;
    out.id = id;
    out.what = what;
    out.error = code;
    out.detail = detail;
    out.retry_now = retry_now;
    sink_->answered(std::move(out));
}

void redis_engine::heard(const reply& said, instant now) {
    if (flights_.empty()) {
        link_.break_off(errc::unavailable, server() + ": an answer to nothing");
        return;
    }
    if (flights_.front().exchanged) { return heard_exchange(said, now); }
    flight& of = flights_.front();
    if (!said.is_error() && !answers(of, said)) {
        link_.break_off(errc::unavailable, server() + ": an answer to something else");
        return; // what became of the request is not known
    }
    if (on_the_way_ > 0) { --on_the_way_; }
    if (said.is_error() && of.what != asked::diagnose) {
        heard_error(of, said, now);
    } else {
        heard(of, said, now);
    }
    if (of.quiet) { --quiet_; }
    flights_.drop_first();
}

void redis_engine::heard_exchange(const reply& said, instant now) {
    flight& given_up = flights_[0];
    flight& of = flights_[1];
    const reply of_acquire = is_of_both(said) ? said[2] : said;
    if (!said.is_error() && !answers(of, of_acquire)) {
        link_.break_off(errc::unavailable, server() + ": an answer to something else");
        return;
    }
    on_the_way_ -= std::min<std::size_t>(on_the_way_, 2);
    if (said.is_error()) {
        // It may be due to either of them, and the release may have been done: each is to be asked
        // for again by itself.
        const auto why = explain(said.text(), where_.server.text());
        if (why.scripts_are_gone) { load_scripts_again(now); }
        for (const flight* const one : {&given_up, &of}) {
            if (one->answered || one->cancelled) { continue; }
            fail(one->id, why.code, why.detail, fate::unknown, why.scripts_are_gone);
        }
    } else {
        say(given_up, read_exchanged(said));
        heard_acquire(of, of_acquire, now);
    }
    for (const flight* const one : {&given_up, &of}) { quiet_ -= one->quiet ? 1U : 0U; }
    flights_.drop_first();
    flights_.drop_first();
}

void redis_engine::heard(flight& of, const reply& said, instant now) {
    switch (of.what) {
    case asked::acquire: heard_acquire(of, said, now); break;
    case asked::take: heard_take(of, said, now); break;
    case asked::release:
        if (of.in != nullptr) {
            heard_released(of, said, now);
        } else {
            say(of, read_release(said));
        }
        break;
    case asked::withdraw:
        note_remembered(of);
        say(of, read_withdraw(said));
        break;
    case asked::beat: heard_beat(of, said); break;
    case asked::inspect: {
        answer out;
        out.what = fate::reported;
        report found;
        found.locks.push_back(of.in != nullptr ? read_foreign_inspect(said, std::move(of.who.name))
                                               : read_inspect(said, std::move(of.who.name)));
        out.report = std::make_shared<const report>(std::move(found));
        say(of, std::move(out));
        break;
    }
    case asked::scan: heard_scan(of, said, now); break;
    case asked::listed: heard_listed(of, said); break;
    case asked::diagnose: heard_diagnosis(of, said); break;
    case asked::time:
        clock_.learn(said.number(0) * 1'000'000 + said.number(1), of.sent, now);
        break;
    case asked::undo: note_remembered(of); break;
    case asked::subscribe:
    case asked::load: break;
    }
}

void redis_engine::load_scripts_again(instant now) {
    for (std::size_t at = 0; at < flights_.size(); ++at) {
        if (flights_[at].what == asked::load) { return; } // on its way
    }
    load_scripts(now);
}

void redis_engine::heard_error(flight& of, const reply& said, instant now) {
    auto why = explain(said.text(), where_.server.text());
    if (why.scripts_are_gone && of.what != asked::load) { load_scripts_again(now); }
    if (of.list && why.code == errc::store_foreign) {
        heard_listed(of, said); // no lock of ours: left out
    } else if (of.list && std::exchange(of.list->failed, true)) {
        return; // one answer is enough
    } else if (!of.answered && !of.cancelled && of.id != 0) {
        fail(of.id, why.code, why.detail, fate::failed, why.scripts_are_gone);
    }
}

void redis_engine::heard_acquire(flight& of, const reply& said, instant now) {
    const auto server_now = late_since(said);
    if (server_now > 0) {
        clock_.learn(server_now, of.sent, now);
        if (now <= of.not_after && !of.answered && !of.cancelled) {
            // Not late at all: the server's clock is not what it was taken for.
            const bool in_time = now <= counts_until(of);
            fail(of.id, errc::unavailable,
                 server() + (in_time ? ": its clock has been changed" : ": it is too slow"),
                 fate::failed, in_time);
            return;
        }
    }
    if (of.in != nullptr) { return heard_foreign(of, said, now); }
    answer out = read_acquire(said);
    if (of.quiet) { crowded_ = out.what == fate::queued && said.is_integer(); }
    if (of.cancelled && (out.what == fate::granted || out.what == fate::queued)) {
        ours(asked::undo, now,
             [&](std::string& bytes, flight& /*made*/) { layout_.withdraw(bytes, of.who, 0); });
        return;
    }
    say(of, std::move(out));
}

void redis_engine::heard_beat(const flight& of, const reply& said) {
    answer out;
    out.what = fate::renewed; // the batch as a whole was done
    out.beats.reserve(of.items.size());
    for (std::size_t at = 0; at < of.items.size() && at < said.size(); ++at) {
        out.beats.push_back(read_beat(said[at], where_.server.text()));
        out.beats.back().who = of.items[at];
    }
    say(of, std::move(out));
}

void redis_engine::heard_scan(const flight& of, const reply& said, instant now) {
    auto job = std::make_shared<list_job>();

    if (said.word(0) != "0") { job->page.cursor = said.word(0); }
    std::vector<std::string> names;
    const std::size_t found = said.size() > 1 ? said[1].size() : 0;
    for (std::size_t at = 0; at < found; ++at) {
        if (auto name = layout_.name_of(said[1].word(at))) { names.push_back(std::move(*name)); }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const std::string_view cursor = of.who.name;
    const auto mark = cursor.find('>');
    if (mark != std::string_view::npos) {
        std::erase_if(names,
                      [&](const std::string& one) { return one <= cursor.substr(mark + 1); });
    }
    if (names.size() > of.count) {
        names.resize(of.count);
        job->page.cursor = std::string{cursor.substr(0, mark)} + '>' + names.back();
    }
    job->missing = names.size();
    for (auto& name : names) {
        flight& next = take_off(asked::listed, now);
        next.id = of.id;
        next.give_up = of.give_up;
        next.answered = of.answered;
        next.cancelled = of.cancelled;
        next.list = job;
        auto& bytes = link_.now()->out();
        const auto before = bytes.size();
        layout_.inspect(bytes, name);
        written_ += bytes.size() - before;
        next.end = written_;
        next.who.name = std::move(name);
    }
    if (names.empty()) {
        answer out;
        out.what = fate::reported;
        out.report = std::make_shared<const report>(std::move(job->page));
        say(of, std::move(out));
    }
}

void redis_engine::heard_listed(const flight& of, const reply& said) {
    list_job& job = *of.list;
    if (job.failed) { return; }
    if (!said.is_error()) {
        auto found = read_inspect(said, of.who.name);
        if (!found.holders.empty() || !found.waiters.empty()) {
            job.page.locks.push_back(std::move(found));
        }
    }
    if (--job.missing > 0) { return; }
    answer out;
    out.what = fate::reported;
    out.report = std::make_shared<const report>(std::move(job.page));
    say(of, std::move(out));
}

void redis_engine::heard_diagnosis(const flight& of, const reply& said) {
    report found;
    found.text = link_.now()->about() + " at " + where_.server.text();
    const auto policy = info_line(said.text(), "maxmemory_policy");
    if (policy.empty()) {
        found.text += "; its eviction policy cannot be seen by this user: only noeviction is safe";
    } else if (policy != "noeviction" && info_line(said.text(), "maxmemory") != "0") {
        found.text += "; its eviction policy " + std::string{policy} +
                      " can remove locks: set maxmemory-policy noeviction";
    }
    answer out;
    out.what = fate::reported;
    out.report = std::make_shared<const report>(std::move(found));
    say(of, std::move(out));
}

void redis_engine::heard_message(const reply& said, instant now) {
    const bool is_message = said.word(0) == "message";
    if (is_message && said.word(1) == layout_.inbox_of_all()) {
        sink_->noticed({notice::kind::inbox_reset, 0, 0});
        return;
    }
    if (!is_message || said.word(1) != layout_.inbox()) { return heard_push(said, now); }
    const notice what = read_message(said.word(2));
    if (what.what != notice::kind::inbox_reset) { sink_->noticed(what); }
}

} // namespace holdfast::engine::redis
