#include "cli/text_table.hpp"

#include "cli/printable.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace holdfast::cli {

namespace {

const char* escape_sequence(colour colour) noexcept {
    switch (colour) {
    case colour::none: return "";
    case colour::bold: return "\033[1m";
    case colour::dim: return "\033[2m";
    case colour::red: return "\033[31m";
    case colour::yellow: return "\033[33m";
    }
    return "";
}

} // namespace

bool stdout_has_colours() {
    const char* const off = std::getenv("NO_COLOR"); // NOLINT(concurrency-mt-unsafe)
    const char* const term = std::getenv("TERM");    // NOLINT(concurrency-mt-unsafe)
    const bool dumb = term == nullptr || std::string_view{term} == "dumb";
    return ::isatty(STDOUT_FILENO) != 0 && !dumb && (off == nullptr || *off == '\0');
}

std::size_t stdout_width() {
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        return 0;
    }
    return size.ws_col;
}

text_table::text_table(std::vector<std::string> titles, table_style style)
    : titles_{std::move(titles)}, style_{style} {
    for (const auto& title : titles_) { widths_.push_back(title.size()); }
}

std::string text_table::take_text() {
    for (const auto& row : rows_) {
        for (std::size_t at = 0; at < row.size(); ++at) {
            widths_[at] = std::max(widths_[at], columns(row[at].text));
        }
    }
    std::string out;
    if (!rows_.empty() && !std::exchange(titles_shown_, true)) {
        table_row titles;
        for (const auto& title : titles_) { titles.push_back({title, colour::bold}); }
        out += line(titles);
    }
    for (const auto& row : rows_) { out += line(row); }
    rows_.clear();
    return out;
}

std::string text_table::line(const table_row& row) const {
    std::string out;
    std::size_t column = 0; // where the next cell begins on the screen
    for (std::size_t at = 0; at < row.size(); ++at) {
        if (style_.width > 0 && column >= style_.width) { break; }
        std::string text = row[at].text.empty() ? "-" : row[at].text;
        const auto width = columns(text);
        if (style_.width > 0) { text.resize(cut(text, style_.width - column).size()); }
        const bool coloured = style_.colours && row[at].colour != colour::none;
        out += coloured ? escape_sequence(row[at].colour) + text + "\033[0m" : text;
        column += widths_[at] + 2;
        const bool last = at + 1 == row.size() || (style_.width > 0 && column >= style_.width);
        if (!last) { out.append(widths_[at] + 2 - width, ' '); }
    }
    return out + '\n';
}

} // namespace holdfast::cli
