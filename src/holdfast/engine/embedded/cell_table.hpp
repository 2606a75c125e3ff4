#pragma once
// The table of the cells: one row per cell. It is created with the first cell, so that files
// without cells stay as they are, and an older Holdfast can still use the file for its locks.

#include "holdfast/engine/admission/cell_rule.hpp"
#include "holdfast/engine/embedded/codec.hpp"
#include "holdfast/engine/embedded/sqlite_connection.hpp"

#include <cstdint>
#include <string>

namespace holdfast::engine::embedded {

/// Inside a write transaction. Throws failure.
class cell_table {
public:
    explicit cell_table(sqlite_connection& connection);

    /// Creates the table if necessary, and deletes some cells that have expired. First of all.
    void prepare(std::int64_t wall_us);
    /// An empty cell if there is none.
    [[nodiscard]] admission::cell find(const std::string& name);
    void put(const std::string& name, const admission::cell& cell, std::int64_t wall_us);
    void remove(const std::string& name);

private:
    sqlite_connection& connection_;
    buffer scratch_;
    statement create_;
    statement create_index_;
    statement sweep_;
    statement find_;
    statement put_;
    statement remove_;
};

/// Without the value, which has its own column.
void encode(const admission::cell& cell, buffer& out);
/// False if it is damaged.
[[nodiscard]] bool decode_cell(bytes from, admission::cell& out);

} // namespace holdfast::engine::embedded
