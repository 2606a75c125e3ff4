#pragma once
// Aligned columns, coloured on a terminal.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::cli {

enum class colour { none, bold, dim, red, yellow };

/// Whether stdout is a terminal that shows colours and the user has not switched them off
/// (NO_COLOR).
[[nodiscard]] bool stdout_has_colours();
/// The columns of the terminal on stdout; 0: stdout is none, and lines are not cut.
[[nodiscard]] std::size_t stdout_width();

struct table_cell {
    std::string text{}; ///< printable: see escape_text()
    cli::colour colour = colour::none;
};

using table_row = std::vector<table_cell>;

struct table_style {
    bool colours = false;
    std::size_t width = 0; ///< of the terminal: longer lines are cut; 0: no limit
};

/// Rows go out as they come: a column is as wide as its widest cell so far, so a later page may be
/// wider than an earlier one. Empty cells show as `-`.
class text_table {
public:
    text_table(std::vector<std::string> titles, table_style style);

    void add(table_row row) { rows_.push_back(std::move(row)); }
    /// The rows since the last call as text; the titles come before the first.
    [[nodiscard]] std::string take_text();

private:
    [[nodiscard]] std::string line(const table_row& row) const;

    std::vector<std::string> titles_;
    std::vector<std::size_t> widths_;
    std::vector<table_row> rows_;
    table_style style_;
    bool titles_shown_ = false;
};

} // namespace holdfast::cli
