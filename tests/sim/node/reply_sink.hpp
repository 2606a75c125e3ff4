#pragma once
// Where a command of a simulated server writes its reply: to a connection, or to a script.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::sim {

class reply_sink {
public:
    reply_sink() = default;
    reply_sink(const reply_sink&) = delete;
    reply_sink& operator=(const reply_sink&) = delete;

    virtual void integer(std::int64_t value) = 0;
    virtual void bulk(std::string_view text) = 0;
    virtual void status(std::string_view text) = 0;
    virtual void error(std::string_view text) = 0;
    virtual void null() = 0;
    virtual void array(std::size_t count) = 0; ///< that many replies must follow

protected:
    ~reply_sink() = default;
};

} // namespace holdfast::sim
