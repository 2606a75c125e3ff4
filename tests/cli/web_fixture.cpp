#include "cli/web_fixture.hpp"

#include "support/http_get.hpp"

#include <array>
#include <cerrno>
#include <poll.h>
#include <regex>
#include <sys/socket.h>

namespace holdfast::test {

page_stream::page_stream(const std::string& address, const std::string& token,
                         const std::string& query)
    : socket_{connect_to(address)} {
    const auto request = "GET /locks" + query + " HTTP/1.1\r\nHost: " + address +
                         "\r\nAuthorization: Bearer " + token + "\r\n\r\n";
    EXPECT_EQ(::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
}

bool page_stream::gets(const std::string& text) {
    return eventually([&] {
        read();
        const auto at = text_.find(text, found_);
        if (at == std::string::npos) { return false; }
        found_ = at + text.size();
        return true;
    });
}

std::string page_stream::next_sample() {
    if (!gets("event: locks\ndata: ")) { return {}; }
    const auto begin = found_;
    return gets("\n\n") ? text_.substr(begin, found_ - begin - 1) : std::string{};
}

bool page_stream::ends() {
    return eventually([&] { return !read(); });
}

bool page_stream::read() {
    std::array<char, 65536> buffer{};
    while (!ended_) {
        const auto count = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) { return true; }
        ended_ = count <= 0;
        if (!ended_) { text_.append(buffer.data(), static_cast<std::size_t>(count)); }
    }
    return false;
}

web::server web::serve(const std::string& url, const words& options) {
    words line{"web", "--listen", "0", "--refresh", "100ms"};
    line.insert(line.end(), options.begin(), options.end());
    server out{start_at(url, line), "", ""};
    const std::regex pattern{"http://([0-9.:]+)/\\?token=([A-Za-z0-9._-]+)\n"};
    std::smatch found;
    std::string text;
    EXPECT_TRUE(eventually([&] {
        text = out.process.out();
        return std::regex_match(text, found, pattern) || out.process.has_ended();
    }));
    EXPECT_EQ(found.size(), 3U) << text << out.process.err();
    if (found.size() == 3) {
        out.address = found.str(1);
        out.token = found.str(2);
    }
    return out;
}

std::string web::get(const server& server, const std::string& path, const std::string& headers) {
    return http_exchange_with(server.address, "GET " + path + " HTTP/1.1\r\n" + headers + "\r\n");
}

std::string web::get(const server& server, const std::string& path) {
    return get(server, path, "Host: " + server.address + "\r\n" + authorization(server));
}

std::string web::post(const server& server, const std::string& form, const std::string& headers) {
    return http_exchange_with(server.address, "POST /break HTTP/1.1\r\nHost: " + server.address +
                                                  "\r\n" + authorization(server) + headers +
                                                  "Content-Length: " + std::to_string(form.size()) +
                                                  "\r\n\r\n" + form);
}

std::string web::break_form(const std::string& sample) {
    auto out = of_json(sample, "'name=%s&token=%d&hold_id=%s' % (each['locks'][0]['key'], "
                               "each['locks'][0]['holders'][0]['token'] or 0, "
                               "each['locks'][0]['hold_ids'][0])");
    if (!out.empty()) { out.pop_back(); } // the newline
    return out;
}

} // namespace holdfast::test
