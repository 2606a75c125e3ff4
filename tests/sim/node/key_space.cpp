#include "sim/node/key_space.hpp"

namespace holdfast::sim {

key_entry* key_space::find(std::string_view key) {
    const auto found = keys_.find(key);
    if (found == keys_.end()) { return nullptr; }
    const auto expires = found->second.expires_ms;
    if (expires != key_entry::no_expiry && now_ms_ > expires) {
        keys_.erase(found);
        return nullptr;
    }
    return &found->second;
}

key_entry& key_space::put(std::string_view key, key_entry entry) {
    const auto found = keys_.find(key);
    if (found == keys_.end()) {
        return keys_.emplace(std::string{key}, std::move(entry)).first->second;
    }
    found->second = std::move(entry);
    return found->second;
}

bool key_space::erase(std::string_view key) {
    if (find(key) == nullptr) { return false; }
    keys_.erase(keys_.find(key));
    return true;
}

} // namespace holdfast::sim
