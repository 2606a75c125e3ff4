#include "redis/hiredis_connection.hpp"

#include <stdexcept>

namespace holdfast::bench::redis {

hiredis_connection::hiredis_connection(std::uint16_t port)
    : context_{::redisConnect("127.0.0.1", port)} {
    if (context_ == nullptr || context_->err != 0) {
        throw std::runtime_error{context_ == nullptr ? "no memory" : &context_->errstr[0]};
    }
}

void hiredis_connection::point_at(std::span<const std::string_view> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        texts_.at(i) = words[i].data();
        sizes_.at(i) = words[i].size();
    }
}

reply hiredis_connection::checked(void* reply_pointer) const {
    reply out{static_cast<::redisReply*>(reply_pointer)};
    if (out == nullptr) { throw std::runtime_error{&context_->errstr[0]}; }
    if (out->type == REDIS_REPLY_ERROR) { throw std::runtime_error{out->str}; }
    return out;
}

reply hiredis_connection::ask(std::span<const std::string_view> words) {
    point_at(words);
    return checked(::redisCommandArgv(context_.get(), static_cast<int>(words.size()), texts_.data(),
                                      sizes_.data()));
}

void hiredis_connection::append(std::span<const std::string_view> words) {
    point_at(words);
    if (::redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), texts_.data(),
                                 sizes_.data()) != REDIS_OK) {
        throw std::runtime_error{&context_->errstr[0]};
    }
}

void hiredis_connection::flush() {
    for (int all_sent = 0; all_sent == 0;) {
        if (::redisBufferWrite(context_.get(), &all_sent) != REDIS_OK) {
            throw std::runtime_error{&context_->errstr[0]};
        }
    }
}

reply hiredis_connection::next() {
    void* out = nullptr;
    ::redisGetReply(context_.get(), &out);
    return checked(out);
}

std::string hiredis_connection::load(std::string_view script) {
    const auto answer = ask({"SCRIPT", "LOAD", script});
    return {answer->str, answer->len};
}

} // namespace holdfast::bench::redis
