#include "holdfast/engine/redis/layout/native/lister.hpp"

#include "holdfast/engine/redis/layout/lock_replies.hpp"
#include "holdfast/engine/redis/layout/native/native_replies.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

void lister::begin(operation& operation, const list_op& op, command_channel& channel, instant now) {
    operation.ticket.name = op.cursor;
    operation.page_size = op.count;
    channel.send(*this, request_kind::scan, operation, now,
                 [&](std::string& out) { commands_.scan(out, op); });
}

bool lister::on_reply(request& request, const reply& reply, instant now) {
    operation& operation = *request.op;
    if (request.is(request_kind::scan)) {
        if (reply.size() != 2) { return false; }
        if (operation.is_open()) { on_scan_reply(operation, reply, now); }
        return true;
    }
    if (!is_inspect_reply(reply)) { return false; }
    if (operation.is_open()) {
        auto& page = *operation.page;
        auto found = read_inspect(reply, page.names[page.names.size() - page.missing]);
        const bool in_use = !found.holders.empty() || !found.waiters.empty();
        if (in_use) { page.found.locks.push_back(std::move(found)); }
        on_inspected(operation);
    }
    return true;
}

void lister::on_error(request& request, const server_error& error, instant now) {
    // In a cluster a name may be moving to another node.
    const bool left_out = error.code == errc::store_foreign || error.is_moving;
    if (request.is(request_kind::inspect) && left_out) {
        if (request.op->is_open()) { on_inspected(*request.op); }
        return;
    }
    request_handler::on_error(request, error, now);
}

void lister::on_scan_reply(operation& operation, const reply& reply, instant now) {
    operation.page = std::make_unique<list_page>();
    auto& page = *operation.page;
    if (reply.word(0) != "0") { page.found.cursor = reply.word(0); }
    auto& names = page.names;
    for (std::size_t at = 0; at < reply[1].size(); ++at) {
        if (auto name = commands_.name_of(reply[1].word(at))) { names.push_back(std::move(*name)); }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    // See native_commands::scan.
    const std::string_view cursor = operation.ticket.name;
    const auto mark = cursor.find('>');
    if (mark != std::string_view::npos) {
        const auto last = cursor.substr(mark + 1);
        std::erase_if(names, [last](const std::string& each) { return each <= last; });
    }
    if (names.size() > operation.page_size) {
        names.resize(operation.page_size);
        page.found.cursor = std::string{cursor.substr(0, mark)} + '>' + names.back();
    }
    page.missing = names.size();
    inspect_each(operation, now);
}

void lister::inspect_each(operation& operation, instant now) {
    for (const auto& name : operation.page->names) {
        operation.channel->send(*this, request_kind::inspect, operation, now,
                                [&](std::string& out) { commands_.inspect(out, name); });
    }
    if (operation.page->names.empty()) { operation.complete(std::move(operation.page->found)); }
}

/// Replies come in the order of the names.
void lister::on_inspected(operation& operation) {
    if (--operation.page->missing == 0) { operation.complete(std::move(operation.page->found)); }
}

} // namespace holdfast::engine::redis
