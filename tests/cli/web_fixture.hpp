#pragma once
// The fixture of `holdfast web`: a server, requests to it, and the stream of its page.

#include "cli/operator_fixture.hpp"
#include "holdfast/base/fd.hpp"

#include <optional>
#include <string>

namespace holdfast::test {

/// A connection to /locks that stays open.
class page_stream {
public:
    page_stream(const std::string& address, const std::string& token,
                const std::string& query = "");

    /// Whether the text comes, after what was found before.
    [[nodiscard]] bool gets(const std::string& text);
    /// The data of the next event `locks`, which is JSON and a newline; empty if none comes.
    [[nodiscard]] std::string next_sample();
    /// Whether the server closes it.
    [[nodiscard]] bool ends();
    [[nodiscard]] const std::string& text() const noexcept { return text_; } ///< all so far

private:
    /// Reads what is there; false: the stream has ended.
    bool read();

    base::fd socket_;
    std::string text_;
    std::size_t found_ = 0; ///< the end of what was found
    bool ended_ = false;
};

class web : public operator_commands {
protected:
    struct server {
        running_command process;
        std::string address; ///< 127.0.0.1:PORT
        std::string token;
    };
    /// `holdfast web --listen 0 --refresh 100ms OPTIONS...`, when it listens.
    server serve(const std::string& url = "", const words& options = {});

    /// The response to a request, with its head. `headers` end with \r\n each.
    static std::string get(const server& server, const std::string& path,
                           const std::string& headers);
    /// With the right Host and token.
    static std::string get(const server& server, const std::string& path);
    /// A POST of a form to /break by a program.
    static std::string post(const server& server, const std::string& form,
                            const std::string& headers = "X-Holdfast-Break: 1\r\n");
    static std::string authorization(const server& server) {
        return "Authorization: Bearer " + server.token + "\r\n";
    }
    /// The form that breaks the first holder of the first lock of a sample.
    std::string break_form(const std::string& sample);
};

} // namespace holdfast::test
