#include "holdfast/engine/redis/layout/native/owner_argument.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

namespace holdfast::engine::redis {

void owner_argument::set(std::string_view before, std::string_view after) {
    std::string text{before};
    text += wire_owner({client_, 0});
    text += after;
    bulk_.clear();
    append_bulk(bulk_, text);
    text_at_ = bulk_.find('\n') + 1;
    owner_at_ = before.size();
}

char* owner_argument::append(std::string& out, const base::owner_id& owner) const {
    const auto begin = out.size();
    out += bulk_;
    char* const text = out.data() + begin + text_at_;
    char* const owner_text = text + owner_at_;
    if (owner.client != client_) { write_client(owner_text, owner.client); }
    write_hex(owner_text + client_digits, owner.number);
    return text;
}

} // namespace holdfast::engine::redis
