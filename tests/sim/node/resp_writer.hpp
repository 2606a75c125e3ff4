#pragma once
// Writes replies as bytes: RESP2, or RESP3 after HELLO 3.

#include "sim/node/reply_sink.hpp"

#include <string>

namespace holdfast::sim {

class resp_writer final : public reply_sink {
public:
    resp_writer(std::string& out, bool resp3) noexcept : out_{out}, resp3_{resp3} {}

    void integer(std::int64_t value) override { line(':', std::to_string(value)); }
    void bulk(std::string_view text) override {
        line('$', std::to_string(text.size()));
        out_ += text;
        out_ += "\r\n";
    }
    void status(std::string_view text) override { line('+', text); }
    void error(std::string_view text) override { line('-', text); }
    void null() override { out_ += resp3_ ? "_\r\n" : "$-1\r\n"; }
    void array(std::size_t count) override { line('*', std::to_string(count)); }
    /// A message that no command asked for; RESP2 has only arrays.
    void push(std::size_t count) { line(resp3_ ? '>' : '*', std::to_string(count)); }

private:
    void line(char type, std::string_view text) {
        out_ += type;
        out_ += text;
        out_ += "\r\n";
    }

    std::string& out_;
    bool resp3_;
};

} // namespace holdfast::sim
