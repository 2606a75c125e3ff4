#include "unit/machine_words.hpp"

#include <sstream>

namespace holdfast::machine {

namespace {

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(' ');
    if (first == std::string::npos) { return {}; }
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Milliseconds since begin_of_time, with as many digits as needed.
std::string when(base::instant value) {
    if (value == base::never) { return "never"; }
    const auto us =
        std::chrono::duration_cast<std::chrono::microseconds>(value - begin_of_time).count();
    auto text = std::to_string(us / 1000);
    if (us % 1000 != 0) {
        text += "." + std::to_string(1000 + us % 1000).substr(1);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text;
}

class sentence {
public:
    explicit sentence(std::string first) : text_{std::move(first)} {}
    sentence& add(bool say, const std::string& value) {
        if (say) { text_ += ", " + value; }
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

} // namespace

const char* word(loss why) noexcept {
    switch (why) {
    case loss::expired: return "expired";
    case loss::taken: return "taken";
    case loss::max_hold: return "max_hold";
    case loss::thread_exited: return "thread_exited";
    }
    return "?";
}

const char* word(lease_state value) noexcept {
    using enum lease_state;
    switch (value) {
    case held: return "held";
    case renewing: return "renewing";
    case releasing: return "releasing";
    case lost: return "lost";
    case ended: return "ended";
    }
    return "?";
}

const char* word(lease_ending ending) noexcept {
    using enum lease_ending;
    switch (ending) {
    case none: return "none";
    case released: return "released";
    case not_held: return "not_held";
    case unknown: return "unknown";
    case refused: return "refused";
    }
    return "?";
}

const char* word(wait_state value) noexcept {
    using enum wait_state;
    switch (value) {
    case idle: return "idle";
    case asking: return "asking";
    case queued: return "queued";
    case pausing: return "pausing";
    case withdrawing: return "withdrawing";
    case done: return "done";
    }
    return "?";
}

const char* word(waiter_machine::outcome outcome) noexcept {
    using enum waiter_machine::outcome;
    switch (outcome) {
    case none: return "none";
    case granted: return "granted";
    case busy: return "busy";
    case timed_out: return "timed_out";
    case tried_enough: return "tried_enough";
    case cancelled: return "cancelled";
    case unavailable: return "unavailable";
    case refused: return "refused";
    }
    return "?";
}

std::string words(const lease_machine& machine, const lease_machine::actions& actions) {
    sentence out{word(machine.state())};
    out.add(actions.renew, "renew " + std::to_string(actions.renew_for.count()));
    out.add(actions.release, "release");
    out.add(actions.report_lost,
            "tell " + std::string{machine.loss_reason() ? word(*machine.loss_reason()) : "?"});
    out.add(actions.report_trouble, "trouble");
    out.add(actions.report_recovered, "recovered");
    out.add(machine.state() == lease_state::ended, word(machine.ending()));
    out.add(actions.wake != base::never, "@" + when(actions.wake));
    return out.text();
}

std::string words(const waiter_machine& machine, const waiter_machine::actions& actions) {
    sentence out{word(machine.state())};
    out.add(actions.renew_owner, "another owner");
    out.add(actions.ask, "ask until " + when(actions.not_after));
    out.add(actions.beat, "beat");
    out.add(actions.withdraw, "withdraw");
    if (actions.finish && machine.result() == waiter_machine::outcome::granted) {
        const auto& grant = machine.granted();
        out.add(true, (grant.provisional ? "tell handed " : "tell granted ") +
                          std::to_string(grant.granted_for.count()) + " since " + when(grant.sent));
    } else {
        out.add(actions.finish, "tell " + std::string{word(machine.result())});
    }
    out.add(actions.report_withdraw_failed, "tell withdraw_failed");
    out.add(actions.wake != base::never, "@" + when(actions.wake));
    return out.text();
}

std::vector<table_row> parse_table(std::string_view text) {
    std::vector<table_row> rows;
    std::istringstream lines{std::string{text}};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream columns{line};
        table_row row;
        std::getline(columns, row.event, '|');
        std::getline(columns, row.before, '|');
        std::getline(columns, row.after, '|');
        row = {trimmed(row.event), trimmed(row.before), trimmed(row.after)};
        if (row.event.empty()) { continue; }
        if (row.after.empty()) { row.after = row.before; }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace holdfast::machine
