// holdfast web: the server behind the page. tests/browser has the page itself.

#include "cli/web_fixture.hpp"
#include "support/http_get.hpp"
#include "support/redis_server.hpp"

#include <holdfast/holdfast.hpp>

#include <csignal>
#include <sys/stat.h>

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(web, serves_the_page_to_who_has_the_token) {
    const auto server = serve();
    const auto host = "Host: " + server.address + "\r\n";
    const auto page = get(server, "/?token=" + server.token, host);
    EXPECT_THAT(page, AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("<table id=\"locks\">")));
    const auto port = server.address.substr(server.address.find(':') + 1);
    const auto cookie = "holdfast-" + port + "=" + server.token;
    EXPECT_THAT(page, HasSubstr("Set-Cookie: " + cookie + "; HttpOnly; SameSite=Strict; Path=/"));
    EXPECT_THAT(page, AllOf(HasSubstr("Content-Security-Policy: default-src 'none'; "),
                            HasSubstr("X-Content-Type-Options: nosniff"),
                            HasSubstr("Referrer-Policy: no-referrer"),
                            HasSubstr("Cache-Control: no-store")));
    EXPECT_THAT(page, Not(HasSubstr("<script>")));
    for (const std::string file : {"/", "/web.js", "/web_text.js", "/web.css"}) {
        EXPECT_THAT(get(server, file, host + "Cookie: a=b; " + cookie + "\r\n"),
                    StartsWith("HTTP/1.1 200 "))
            << file;
        EXPECT_THAT(get(server, file), StartsWith("HTTP/1.1 200 ")) << file;
        EXPECT_THAT(get(server, file, host), StartsWith("HTTP/1.1 401 ")) << file;
    }
    EXPECT_THAT(get(server, "/other"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(web, refuses_a_wrong_token) {
    const auto server = serve();
    const auto host = "Host: " + server.address + "\r\n";
    auto wrong = server.token;
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    const auto port = server.address.substr(server.address.find(':') + 1);
    for (const auto& given : words{wrong, "", server.token + "0", server.token.substr(1)}) {
        EXPECT_THAT(get(server, "/?token=" + given, host), StartsWith("HTTP/1.1 401 ")) << given;
        EXPECT_THAT(get(server, "/locks", host + "Authorization: Bearer " + given + "\r\n"),
                    StartsWith("HTTP/1.1 401 "));
        EXPECT_THAT(get(server, "/", host + "Cookie: holdfast-" + port + "=" + given + "\r\n"),
                    StartsWith("HTTP/1.1 401 "));
    }
    EXPECT_THAT(get(server, "/locks?token=" + server.token, host), StartsWith("HTTP/1.1 401 "))
        << "only the page is opened by a URL with the token";
}

TEST_F(web, refuses_a_host_that_someone_else_has_pointed_here) {
    const auto server = serve();
    const auto port = server.address.substr(server.address.find(':'));
    for (const auto& host : words{"evil.example" + port, "localhost.evil.example", "127.0.0.1.evil",
                                  "", "evil.example\r\nHost: 127.0.0.1"}) {
        EXPECT_THAT(get(server, "/", "Host: " + host + "\r\n" + authorization(server)),
                    StartsWith("HTTP/1.1 421 "))
            << host;
    }
    EXPECT_THAT(get(server, "/", authorization(server)), StartsWith("HTTP/1.1 421 "));
    for (const auto& host : words{"localhost" + port, "127.0.0.1", "[::1]:9000"}) { // ssh -L
        EXPECT_THAT(get(server, "/", "Host: " + host + "\r\n" + authorization(server)),
                    StartsWith("HTTP/1.1 200 "))
            << host;
    }
}

TEST_F(web, pushes_the_locks_as_they_change) {
    const auto server = serve();
    page_stream page{server.address, server.token};
    EXPECT_EQ(of_json(page.next_sample(), "each['locks'], each['events'], each['read_only']"),
              "([], [], False)\n");
    auto holder = hold_at("", "a<b", {"--note", "by Ann"});
    ASSERT_TRUE(page.gets("\"note\": \"by Ann\""));
    const auto sample = page.next_sample();
    EXPECT_EQ(of_json(sample, "each['all_locks'], each['matching'], each['locks'][0]['name'], "
                              "each['locks'][0]['key'], each['events'][0]['event']"),
              "(1, 1, 'a<b', 'a%3Cb', 'granted')\n");
    EXPECT_EQ(of_json(sample, "0 < each['locks'][0]['holders'][0]['remaining_ms'] <= 30000"),
              "True\n");
    EXPECT_EQ(of_json(sample, "len(each['locks'][0]['holders'][0]['owner']) < 12"), "True\n")
        << "whoever knows the owner could release the lock";
    auto waiter = start({"--note", "by Bob", "a<b", "--", "true"});
    EXPECT_TRUE(page.gets("\"waiter_count\": 1"));
    holder.signal(SIGTERM);
    EXPECT_TRUE(page.gets("\"event\": \"ended\""));
}

TEST_F(web, sorts_and_filters_each_page_by_itself) {
    const auto server = serve();
    const auto one = hold_at("", "stock:1", {"--note", "Ann"});
    const auto two = hold_at("", "stock:2");
    const auto other = hold_at("", "report");
    const auto waiter = start({"stock:2", "--", "true"});
    ASSERT_TRUE(eventually([&] { return has_waiters("stock:2", 1); }));
    const auto names = [&](const std::string& query) {
        page_stream page{server.address, server.token, query};
        return of_json(page.next_sample(), "[lock['name'] for lock in each['locks']], "
                                           "each['matching'], each['all_locks']");
    };
    EXPECT_EQ(names("?sort=name"), "(['report', 'stock:1', 'stock:2'], 3, 3)\n");
    EXPECT_EQ(names(""), "(['stock:2', 'report', 'stock:1'], 3, 3)\n");
    EXPECT_EQ(names("?sort=age"), "(['stock:1', 'stock:2', 'report'], 3, 3)\n");
    EXPECT_EQ(names("?sort=name&filter=STOCK%3a"), "(['stock:1', 'stock:2'], 2, 3)\n");
    EXPECT_EQ(names("?filter=ann"), "(['stock:1'], 1, 3)\n");
    EXPECT_THAT(get(server, "/locks?sort=size"),
                AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("sort: write name, age")));
    EXPECT_THAT(get(server, "/locks?filter=" + std::string(201, 'x')),
                AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("filter: ")));
}

TEST_F(web, breaks_the_hold_that_is_named) {
    const auto server = serve();
    auto holder = hold_at("", "a b\xff&c", {"--note", "old"});
    page_stream page{server.address, server.token};
    const auto form = break_form(page.next_sample());
    EXPECT_THAT(post(server, form), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("is broken"),
                                          HasSubstr("(old), token "), HasSubstr("it is free")));
    EXPECT_EQ(holder.wait().code, 76);
    EXPECT_TRUE(page.gets("\"event\": \"broken\""));
    EXPECT_THAT(server.process.err(), HasSubstr("web: ")) << "the log has who was broken";

    auto next = hold_at("", "a b\xff&c");
    EXPECT_THAT(post(server, form),
                AllOf(StartsWith("HTTP/1.1 409 "), HasSubstr("that hold has ended")));
    EXPECT_FALSE(next.has_ended()) << "the user confirmed the end of another hold";
}

TEST_F(web, breaks_only_for_its_own_page) {
    const auto server = serve();
    auto holder = hold_at("", "job");
    page_stream page{server.address, server.token};
    const auto form = break_form(page.next_sample());
    const std::string header = "X-Holdfast-Break: 1\r\n";
    const auto origin = "Origin: http://" + server.address + "\r\n";
    EXPECT_THAT(post(server, form, ""), StartsWith("HTTP/1.1 403 "));
    EXPECT_THAT(post(server, form, origin), StartsWith("HTTP/1.1 403 "));
    for (const auto& foreign :
         words{"Origin: http://evil.example\r\n", "Origin: http://127.0.0.1:1\r\n",
               "Origin: null\r\n", origin + "Sec-Fetch-Site: same-site\r\n"}) {
        EXPECT_THAT(post(server, form, header + foreign), StartsWith("HTTP/1.1 403 ")) << foreign;
    }
    const auto port = server.address.substr(server.address.find(':') + 1);
    const auto by_cookie = "POST /break HTTP/1.1\r\nHost: " + server.address +
                           "\r\nCookie: holdfast-" + port + "=" + server.token + "\r\n" + header;
    const auto rest = "Content-Length: " + std::to_string(form.size()) + "\r\n\r\n" + form;
    EXPECT_THAT(http_exchange_with(server.address, by_cookie + rest), StartsWith("HTTP/1.1 403 "))
        << "a browser sends its Origin";
    EXPECT_THAT(get(server, "/break?" + form), StartsWith("HTTP/1.1 405 "));
    EXPECT_THAT(http_exchange_with(server.address, "OPTIONS /break HTTP/1.1\r\n\r\n"),
                StartsWith("HTTP/1.1 405 "));
    EXPECT_FALSE(holder.has_ended());
    EXPECT_THAT(http_exchange_with(server.address, by_cookie + origin + rest),
                StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(holder.wait().code, 76);
}

TEST_F(web, says_what_is_wrong_with_a_form) {
    const auto server = serve();
    for (const auto& form : words{"", "name=job", "name=job&token=x&hold_id=1", "name=&token=1",
                                  "name=%zz&token=1&hold_id=1", "name=job&token=-1&hold_id=1"}) {
        EXPECT_THAT(post(server, form),
                    AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("the form needs name, token")))
            << form;
    }
    EXPECT_THAT(post(server, "name=job&token=1&hold_id=1"), StartsWith("HTTP/1.1 409 "));
    EXPECT_THAT(post(server, std::string(9000, 'x')), StartsWith("HTTP/1.1 413 "));
    EXPECT_THAT(get(server, "/" + std::string(9000, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(web, that_is_read_only_breaks_nothing) {
    const auto server = serve("", {"--read-only"});
    auto holder = hold_at("", "job");
    page_stream page{server.address, server.token};
    const auto sample = page.next_sample();
    EXPECT_EQ(of_json(sample, "each['read_only']"), "True\n");
    EXPECT_THAT(post(server, break_form(sample)),
                AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("--read-only")));
    EXPECT_FALSE(holder.has_ended());
}

TEST_F(web, shows_an_outage_and_recovers) {
    redis_server redis;
    const auto server = serve(redis.url(), {"--connect-wait", "300ms"});
    const auto holder = hold_at(redis.url(), "job", {"--lease", "60s"});
    page_stream page{server.address, server.token};
    ASSERT_TRUE(page.gets("\"name\": \"job\""));
    const auto form = break_form(page.next_sample());
    redis.pause();
    EXPECT_TRUE(page.gets("event: problem\ndata: {\"problem\": \""));
    EXPECT_THAT(post(server, form), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("\"job\": ")));
    redis.resume();
    EXPECT_TRUE(page.gets("event: locks"));
}

TEST_F(web, waits_for_an_engine_that_is_down_at_the_start) {
    redis_server redis;
    redis.kill();
    const auto server = serve(redis.url(), {"--connect-wait", "200ms"});
    EXPECT_THAT(server.process.err(), HasSubstr("the page shows when it answers"));
    page_stream page{server.address, server.token};
    EXPECT_TRUE(page.gets("event: problem"));
    redis.restart();
    EXPECT_TRUE(page.gets("event: locks"));
}

TEST_F(web, leaves_the_engine_alone_while_no_page_is_open) {
    redis_server redis;
    const auto server = serve(redis.url());
    {
        page_stream page{server.address, server.token};
        EXPECT_NE(page.next_sample(), "");
    }
    EXPECT_TRUE(eventually([&] {
        const auto before = redis.calls_of("scan");
        std::this_thread::sleep_for(500ms);
        return redis.calls_of("scan") == before;
    }));
    page_stream page{server.address, server.token};
    EXPECT_NE(page.next_sample(), "") << "and looks again for the next page";
}

TEST_F(web, shows_the_first_of_very_many_locks) {
    redis_server redis;
    const auto server = serve(redis.url());
    client fleet{redis.url()};
    std::vector<lease> held;
    for (int number = 1001; number <= 1450; ++number) {
        held.push_back(mutex{fleet, "lock-" + std::to_string(number)}.acquire());
    }
    page_stream page{server.address, server.token, "?sort=name"};
    const auto counts = "len(each['locks']), each['matching'], each['all_locks'], "
                        "each['locks'][-1]['name']";
    EXPECT_EQ(of_json(page.next_sample(), counts), "(200, 450, 450, 'lock-1200')\n");
    page_stream filtered{server.address, server.token, "?filter=lock-1449"};
    EXPECT_EQ(of_json(filtered.next_sample(), counts), "(1, 1, 450, 'lock-1449')\n")
        << "the filter is applied to all locks";
}

TEST_F(web, ends_streams_beyond_its_limit_and_clients_that_send_nothing) {
    const auto server = serve();
    std::vector<page_stream> pages;
    for (int count = 0; count < 32; ++count) {
        pages.emplace_back(server.address, server.token);
        ASSERT_TRUE(pages.back().gets("HTTP/1.1 200 ")) << count;
    }
    EXPECT_THAT(get(server, "/locks"), StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(get(server, "/"), StartsWith("HTTP/1.1 200 ")) << "there is room for requests";
    const stopwatch watch;
    EXPECT_EQ(http_exchange_with(server.address, "GET / HT"), "");
    EXPECT_LT(watch.elapsed(), 9s);
    pages.pop_back();
    EXPECT_TRUE(eventually([&] {
        page_stream page{server.address, server.token};
        return page.gets("HTTP/1.1 ") && page.gets("200") && page.next_sample() != "";
    }));
}

TEST_F(web, ends_at_a_signal) {
    for (const int signal : {SIGTERM, SIGINT}) {
        auto server = serve();
        page_stream page{server.address, server.token};
        EXPECT_NE(page.next_sample(), "");
        server.process.signal(signal);
        const auto end = server.process.wait();
        EXPECT_EQ(end.code, 128 + signal) << end.err;
        EXPECT_EQ(end.err, "");
        EXPECT_TRUE(page.ends());
        EXPECT_EQ(get(server, "/"), "") << "nobody listens any more";
    }
    EXPECT_EQ(sandbox_.left_over(), "");
}

TEST_F(web, refuses_a_wrong_address) {
    const auto fails = [&](const words& options, const std::string& reason) {
        words line{"web"};
        line.insert(line.end(), options.begin(), options.end());
        const auto end = command(line);
        EXPECT_EQ(end.code, 64) << end.err;
        EXPECT_THAT(end.err, HasSubstr(reason));
        EXPECT_EQ(end.out, "");
    };
    fails({"--listen", "x"}, "--listen x: the port is not a number");
    fails({"--listen", "0.0.0.0:0"}, "--allow-remote");
    const auto open = command({"web", "--listen", "0.0.0.0:0"}).err;
    EXPECT_EQ(open.find("--listen"), open.rfind("--listen")) << open;
    fails({"--listen", "[::]:0"}, "--allow-remote");
    fails({"--listen", "192.0.2.1:0"}, "--listen 192.0.2.1:0: cannot listen there");
    fails({"--refresh", "0"}, "--refresh");
    const auto server = serve();
    fails({"--listen", server.address}, "Address already in use");
    const redis_server redis;
    fails({"--url", redis.url() + "?layout=plain", "--listen", "0"},
          "cannot distinguish locks from other keys");
}

TEST_F(web, listens_to_other_hosts_if_the_user_takes_the_risk) {
    auto remote = start_at("", {"web", "--listen", "0.0.0.0:0", "--allow-remote"});
    EXPECT_TRUE(eventually([&] { return remote.out().find('\n') != std::string::npos; }))
        << remote.err();
    EXPECT_THAT(remote.out(), StartsWith("http://0.0.0.0:"));
}

TEST_F(web, reads_its_token_from_a_file) {
    sandbox_.write("token", "a-token-of-my-own-17\nrest\n");
    ASSERT_EQ(::chmod(sandbox_.file("token").c_str(), 0600), 0);
    const auto server = serve("", {"--token-file", "token"});
    EXPECT_EQ(server.token, "a-token-of-my-own-17");
    EXPECT_THAT(get(server, "/"), StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(server.process.err(), "");
    ASSERT_EQ(::chmod(sandbox_.file("token").c_str(), 0644), 0);
    const auto open = serve("", {"--token-file", "token"});
    EXPECT_THAT(open.process.err(), HasSubstr("chmod o-r token"));
    for (const std::string text : {"", "short", "a token with blanks"}) {
        sandbox_.write("token", text + "\n");
        const auto end = command({"web", "--listen", "0", "--token-file", "token"});
        EXPECT_EQ(end.code, 64);
        EXPECT_THAT(end.err,
                    HasSubstr(text.empty() ? "--token-file token: its first line is empty"
                                           : "--token-file token: its first line must be a token"));
    }
    EXPECT_EQ(command({"web", "--token-file", "no/such/file"}).code, 64);
}

} // namespace

} // namespace holdfast::test
