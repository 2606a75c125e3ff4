#include "holdfast/engine/embedded/cell_table.hpp"

#include "holdfast/engine/embedded/failure.hpp"
#include "holdfast/engine/embedded/record_fields.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::engine::embedded {

namespace {

constexpr std::uint8_t cell_version = 1;

void write_members(field_writer& out, const std::map<std::string, unsigned>& members) {
    out.u32(static_cast<std::uint32_t>(members.size()));
    for (const auto& [member, weight] : members) {
        out.text(member);
        out.u32(weight);
    }
}

void read_members(field_reader& in, std::map<std::string, unsigned>& out) {
    for (std::uint32_t left = in.u32(); left > 0 && in.ok(); --left) {
        auto member = in.text();
        out.emplace(std::move(member), in.u32());
    }
}

} // namespace

void encode(const admission::cell& cell, buffer& out) {
    field_writer fields{out};
    fields.u8(cell_version);
    fields.u64(cell.birth);
    fields.u64(cell.token);
    fields.u64(cell.order);
    fields.u64(cell.phase);
    fields.u32(cell.arrived);
    fields.u32(cell.expected);
    fields.i64(cell.expires_us);
    write_members(fields, cell.members);
    write_members(fields, cell.last_members);
    fields.u32(static_cast<std::uint32_t>(cell.watchers.size()));
    for (const auto& each : cell.watchers) {
        fields.raw(encode_owner(each.owner));
        fields.i64(each.alive_until_us);
    }
}

bool decode_cell(bytes from, admission::cell& out) {
    field_reader fields{from};
    if (fields.u8() != cell_version) { return false; }
    out.birth = fields.u64();
    out.token = fields.u64();
    out.order = fields.u64();
    out.phase = fields.u64();
    out.arrived = fields.u32();
    out.expected = fields.u32();
    out.expires_us = fields.i64();
    read_members(fields, out.members);
    read_members(fields, out.last_members);
    for (std::uint32_t left = fields.u32(); left > 0 && fields.ok(); --left) {
        const auto owner = fields.owner();
        out.watchers.push_back({owner, fields.i64()});
    }
    return fields.at_end();
}

cell_table::cell_table(sqlite_connection& connection)
    : connection_{connection},
      create_{connection, "CREATE TABLE IF NOT EXISTS cells(name BLOB PRIMARY KEY NOT NULL,"
                          " expires INTEGER NOT NULL, value BLOB NOT NULL, body BLOB NOT NULL)"},
      create_index_{connection, "CREATE INDEX IF NOT EXISTS cells_by_expiry ON cells(expires)"},
      sweep_{connection, "DELETE FROM cells WHERE rowid IN (SELECT rowid FROM cells"
                         " WHERE expires <= ?1 ORDER BY expires LIMIT 8)"},
      find_{connection, "SELECT value, body FROM cells WHERE name = ?1"},
      put_{connection,
           "INSERT OR REPLACE INTO cells(name, expires, value, body) VALUES(?1, ?2, ?3, ?4)"},
      remove_{connection, "DELETE FROM cells WHERE name = ?1"} {}

void cell_table::prepare(std::int64_t wall_us) {
    create_.run();
    create_index_.run();
    sweep_.bind(1, wall_us).run();
}

admission::cell cell_table::find(const std::string& name) {
    admission::cell out;
    find_.bind(1, name);
    const statement_reset reset_after{find_};
    if (!find_.step()) { return out; }
    out.value = find_.text(0);
    if (!decode_cell(find_.blob(1), out)) {
        throw damaged(connection_.path(), "the record of a cell makes no sense");
    }
    return out;
}

void cell_table::put(const std::string& name, const admission::cell& cell, std::int64_t wall_us) {
    // A cell that has watchers only is not needed longer than they are.
    const std::int64_t expires = cell.birth != 0 || cell.token != 0
                                     ? cell.expires_us
                                     : wall_us + std::chrono::microseconds{waiter_timeout}.count();
    encode(cell, scratch_);
    put_.bind(1, name).bind(2, expires).bind(3, cell.value).bind(4, scratch_).run();
}

void cell_table::remove(const std::string& name) { remove_.bind(1, name).run(); }

} // namespace holdfast::engine::embedded
