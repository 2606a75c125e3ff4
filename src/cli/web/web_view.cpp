#include "cli/web/web_view.hpp"

#include "cli/lock_json.hpp"
#include "cli/party_text.hpp"
#include "cli/script_output.hpp"
#include "holdfast/base/text.hpp"
#include "holdfast/http/http_request.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace holdfast::cli {

namespace {

constexpr std::size_t longest_filter = 200;

bool passes(const lock_info& lock, const std::string& filter) {
    const auto has = [&](const std::string& text) {
        return base::lower_case(text).find(filter) != std::string::npos;
    };
    const auto names = [&](const party& party) {
        return has(party.note) || has(party.host) || std::to_string(party.pid) == filter;
    };
    return filter.empty() || has(lock.name) ||
           std::any_of(lock.holders.begin(), lock.holders.end(), names) ||
           std::any_of(lock.waiters.begin(), lock.waiters.end(), names);
}

void shorten(std::vector<party>& parties) {
    if (parties.size() > web_rows::most_parties) { parties.resize(web_rows::most_parties); }
    std::transform(parties.begin(), parties.end(), parties.begin(), without_owner);
}

/// `as_json` and what the page needs beside it: how many parties there are, a name of any bytes as
/// the page can send it back, and an id per holder.
std::string row_json(lock_info lock) {
    std::string ids;
    const auto holder_count = lock.holders.size();
    const auto waiter_count = lock.waiters.size();
    for (std::size_t at = 0; at < holder_count && at < web_rows::most_parties; ++at) {
        ids += (at == 0 ? "\"" : ", \"") + hold_id(lock.holders[at]) + "\"";
    }
    shorten(lock.holders);
    shorten(lock.waiters);
    auto out = as_json(lock);
    out.resize(out.rfind('}'));
    return out + ", \"key\": \"" + http::percent_encode(lock.name) +
           "\", \"holder_count\": " + std::to_string(holder_count) +
           ", \"waiter_count\": " + std::to_string(waiter_count) + ", \"hold_ids\": [" + ids + "]}";
}

const char* order_name(lock_order order) noexcept {
    switch (order) {
    case lock_order::name: return "name";
    case lock_order::age: return "age";
    case lock_order::waiters: return "waiters";
    case lock_order::left: return "left";
    case lock_order::token: return "token";
    }
    return "";
}

} // namespace

web_view parse_web_view(const std::string& sort, const std::string& filter) {
    const auto order = parse_lock_order(sort.empty() ? "waiters" : sort);
    if (!order) { throw std::invalid_argument{"sort: write name, age, waiters, left or token"}; }
    if (filter.size() > longest_filter) {
        throw std::invalid_argument{"filter: write 200 bytes at most"};
    }
    return {*order, base::lower_case(filter)};
}

void web_rows::offer(const lock_info& lock) {
    if (!passes(lock, view_.filter)) { return; }
    ++matching_;
    locks_.push_back(lock);
    if (locks_.size() >= 4 * most_rows) { keep_first(); }
}

std::string web_rows::take_members() {
    keep_first();
    std::string out = "\"sort\": \"" + std::string{order_name(view_.order)} +
                      "\", \"matching\": " + std::to_string(matching_) + ", \"locks\": [";
    for (std::size_t at = 0; at < locks_.size(); ++at) {
        out += (at == 0 ? "" : ", ") + row_json(std::move(locks_[at]));
    }
    locks_.clear();
    return out + "]";
}

void web_rows::keep_first() {
    sort_locks(locks_, view_.order);
    if (locks_.size() > most_rows) { locks_.resize(most_rows); }
}

std::string hold_id(const party& holder) {
    return std::to_string(std::hash<std::string>{}(holder.owner));
}

party without_owner(const party& full) {
    constexpr std::size_t shown = 8;
    auto out = full;
    if (out.owner.size() > shown) { out.owner = out.owner.substr(0, shown) + "..."; }
    return out;
}

} // namespace holdfast::cli
