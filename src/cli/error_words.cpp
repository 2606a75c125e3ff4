#include "cli/error_words.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"
#include "holdfast/base/quote.hpp"

#include <holdfast/admin.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

[[noreturn]] void refuse(const std::string& text) { throw error{errc::invalid_option, text}; }

void check_range(const char* option, milliseconds value, milliseconds least, milliseconds most) {
    if (value >= least && value <= most) { return; }
    refuse(std::string{option} + " is " + format_duration(value) + "; give " +
           format_duration(least) + " to " + format_duration(most));
}

/// Without the quoted name and all before it, which the caller says in other words.
std::string without_subject(std::string text, std::string_view name) {
    const auto subject = base::quote(name) + ": ";
    const auto at = text.find(subject);
    if (at != std::string::npos) { text.erase(0, at + subject.size()); }
    return text;
}

bool is_letter(char letter) noexcept {
    return (letter >= 'a' && letter <= 'z') || letter == '_' || letter == '-';
}

/// Replaces the word wherever it stands alone.
void replace_word(std::string& text, std::string_view word, std::string_view by) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
        const auto end = at + word.size();
        const bool alone =
            (at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]));
        if (alone) {
            text.replace(at, word.size(), by);
        } else {
            at = end - by.size(); // the loop adds it again
        }
    }
}

/// `10000 ms` becomes `10s`.
void shorten_durations(std::string& text) {
    for (auto at = text.find(" ms"); at != std::string::npos; at = text.find(" ms", at + 1)) {
        const auto begin = text.find_last_not_of("0123456789", at - 1) + 1;
        milliseconds::rep count = 0;
        const auto* const end = text.data() + at;
        const auto parsed = std::from_chars(text.data() + begin, end, count);
        if (at == 0 || parsed.ec != std::errc{} || parsed.ptr != end) { continue; }
        text.replace(begin, at + 3 - begin, format_duration(milliseconds{count}));
        at = begin;
    }
}

/// The library names the members of its options.
std::string in_options(std::string text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> words{{
        {"min_hold", "--min-hold"},
        {"max_hold", "--max-hold"},
        {"permits is", "--permits is"},
        {"permits:", "--permits:"},
        {"lease is", "--lease is"},
        {"note has", "--note has"},
        {"a note", "--note"},
    }};
    for (const auto& [word, option] : words) { replace_word(text, word, option); }
    shorten_durations(text);
    return text;
}

std::string kind_words(primitive kind) {
    switch (kind) {
    case primitive::mutex: return "a lock with one holder (no --shared, --exclusive or --limit)";
    case primitive::shared_mutex: return "a lock with readers and a writer (--shared, --exclusive)";
    case primitive::semaphore: return "a lock with several holders (--limit)";
    }
    return "another kind of lock";
}

constexpr milliseconds wait{500};

std::optional<lock_info> inspect(const run_settings& settings) {
    try {
        auto engine = settings.engine;
        engine.options.connect_wait = std::min(engine.options.connect_wait, wait);
        std::error_code ignored;
        return admin{engine.open()}.inspect(settings.names.front(), ignored);
    } catch (const std::exception&) { return std::nullopt; } // the message says less then
}

/// --no-wait ends as long as the first connection is tried, so its error says only that there is
/// none. One that is tried for a shorter time says why.
std::string name_outage(const std::string& text, const run_settings& settings) {
    constexpr std::string_view unknown = "not connected yet";
    if (text.find(unknown) == std::string::npos) { return text; }
    auto engine = settings.engine;
    engine.url += engine.url.find('?') == std::string::npos ? '?' : '&';
    engine.url += "connect_timeout=300";
    engine.options.connect_wait = std::min(engine.options.connect_wait, wait);
    std::string out;
    try {
        (void)admin{engine.open()}.inspect(settings.names.front());
    } catch (const error& failure) {
        if (failure.code() == errc::unavailable) { out = failure.what(); }
    } catch (const std::exception&) {} // the message says less then
    const bool is_better = !out.empty() && out.find(unknown) == std::string::npos;
    return is_better ? out : text;
}

} // namespace

void check_hold(const run_settings& settings) {
    const auto& hold = settings.hold;
    const milliseconds none{0};
    check_range("--lease", hold.lease, limits::least_lease, limits::longest_lease);
    check_range("--min-hold", hold.min_hold, none, limits::longest_hold);
    if (hold.max_hold != none) {
        check_range("--max-hold", hold.max_hold, limits::least_lease, limits::longest_hold);
        if (hold.min_hold > hold.max_hold) {
            refuse("--min-hold " + format_duration(hold.min_hold) + " is longer than --max-hold " +
                   format_duration(hold.max_hold));
        }
    }
    if (hold.note.size() > limits::note_bytes) {
        refuse("--note has " + std::to_string(hold.note.size()) + " bytes; the most is " +
               std::to_string(limits::note_bytes));
    }
}

std::string command_failure(std::string text, std::string_view command) {
    for (const std::string_view function : {"list: ", "inspect: ", "break_lock: "}) {
        if (!text.starts_with(function)) { continue; }
        text.replace(0, function.size() - 2, command);
        break;
    }
    constexpr std::string_view advice = "use inspect() with a name";
    if (const auto at = text.find(advice); at != std::string::npos) {
        text.replace(at, advice.size(), "give names instead of patterns");
    }
    constexpr std::string_view flag = "once_flag ";
    if (text.starts_with(flag)) { text.replace(0, flag.size(), "once "); }
    return text;
}

std::string acquire_failure(const error& failure, const run_settings& settings) {
    if (settings.names.size() != 1) { return failure.what(); }
    const auto name = quote_name(settings.names.front());
    if (failure.code() == errc::wrong_primitive) {
        const auto found = inspect(settings);
        return name + " is in use as " +
               (found && found->kind != settings.kind ? kind_words(found->kind)
                                                      : "another kind of lock") +
               ", and not as " + kind_words(settings.kind) + "; use a name for one kind only";
    }
    if (failure.code() == errc::wrong_limit) {
        const auto found = inspect(settings);
        const bool known = found && found->kind == primitive::semaphore;
        return name + " is in use with " +
               (known ? "--limit " + std::to_string(found->limit) : "another --limit") + ", not " +
               std::to_string(settings.limit) + "; all its users need the same";
    }
    auto text = without_subject(name_outage(failure.what(), settings), settings.names.front());
    return name + ": " + in_options(std::move(text));
}

std::string release_failure(const std::vector<std::string>& names, const error& failure,
                            milliseconds left) {
    auto why = without_subject(failure.what(), names.front());
    constexpr std::string_view of_a_set = "release() of a set: ";
    if (why.starts_with(of_a_set)) { why.erase(0, of_a_set.size()); }
    constexpr std::string_view doubt = "; the operation may or may not have happened";
    if (why.ends_with(doubt)) { why.resize(why.size() - doubt.size()); }
    return quote_names(names) + " could not be released (" + why + "); " +
           (names.size() == 1 ? "it stays" : "they stay") + " taken until the lease ends" +
           (left > milliseconds{0} ? ", in about " + format_duration(left) : "");
}

} // namespace holdfast::cli
