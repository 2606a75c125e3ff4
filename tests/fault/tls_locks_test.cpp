// Locks on a Redis server that speaks TLS.

#include "fault/redis_exercise.hpp"
#include "support/scratch_folder.hpp"
#include "support/sentinel_group.hpp"
#include "support/tls_server.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

class tls_locks : public testing::Test {
protected:
    const scratch_folder here_;
    tls_authority authority_{here_.path()};

    [[nodiscard]] static complaint complaint_about(const std::string& url) {
        client here{url};
        return complaint_of([&] { (void)mutex{here, "stock"}.acquire(); });
    }
};

TEST_F(tls_locks, are_acquired_and_handed_off) {
    const redis_server server{tls_server(authority_)};
    const auto url = server.url() + "?ca=" + authority_.ca_file();
    EXPECT_NO_THROW(hand_over(url));
    EXPECT_NO_THROW(use_everything(url));
}

TEST_F(tls_locks, are_acquired_from_a_master_behind_sentinels) {
    const sentinel_group group{{.replicas = 0, .sentinels = 2, .tls = tls_server(authority_).tls}};
    const auto url = group.url("?ca=" + authority_.ca_file());
    EXPECT_NO_THROW(hand_over(url));
    const auto complaint = complaint_about(group.url());
    EXPECT_EQ(complaint.code, errc::store_forbidden) << complaint.text;
    EXPECT_THAT(complaint.text, testing::AllOf(HasSubstr("Sentinel at"), HasSubstr("certificate")));
}

TEST_F(tls_locks, are_renewed) {
    const redis_server server{tls_server(authority_)};
    client here{server.url() + "?ca=" + authority_.ca_file()};
    const auto span = scaled(600ms);
    const auto held = mutex{here, "stock"}.acquire({.lease = span});
    EXPECT_TRUE(throughout(span + 50ms, [&] { return held.valid(); }));
}

TEST_F(tls_locks, are_refused_at_once_if_the_authority_is_not_trusted) {
    const redis_server server{tls_server(authority_)};
    tls_authority stranger{here_.path(), "stranger"};
    const stopwatch watch;
    for (const auto& query : {std::string{}, "?ca=" + stranger.ca_file()}) {
        const auto complaint = complaint_about(server.url() + query);
        EXPECT_EQ(complaint.code, errc::store_forbidden) << complaint.text;
        EXPECT_THAT(complaint.text, HasSubstr("certificate"));
        EXPECT_THAT(complaint.text, HasSubstr("127.0.0.1:" + std::to_string(server.port())));
    }
    EXPECT_LT(watch.elapsed(), scaled(3s));
    EXPECT_NO_THROW(hand_over(server.url() + "?verify=no"));
}

TEST_F(tls_locks, are_refused_if_the_certificate_is_for_another_name) {
    const redis_server server{tls_server(authority_)};
    const auto complaint =
        complaint_about(server.url() + "?server_name=other&ca=" + authority_.ca_file());
    EXPECT_EQ(complaint.code, errc::store_forbidden) << complaint.text;
    EXPECT_THAT(complaint.text, HasSubstr("\"other\""));
}

TEST_F(tls_locks, of_a_server_without_tls_fail_with_a_clear_error) {
    const redis_server server;
    client here{"rediss://127.0.0.1:" + std::to_string(server.port()) + "?connect_timeout=200",
                {.connect_wait = 500ms}};
    const auto complaint = complaint_of([&] { (void)mutex{here, "stock"}.acquire(); });
    EXPECT_EQ(complaint.code, errc::unavailable) << complaint.text;
    EXPECT_THAT(complaint.text, HasSubstr("check that this port speaks TLS"));
}

TEST_F(tls_locks, may_need_a_client_certificate) {
    const redis_server server{tls_server(authority_, "yes")};
    const auto mine = authority_.issue("client");
    const auto url = server.url() + "?ca=" + authority_.ca_file();
    EXPECT_NO_THROW(hand_over(url + "&cert=" + mine.certificate + "&key=" + mine.private_key));
    const auto complaint = complaint_about(url);
    EXPECT_EQ(complaint.code, errc::store_forbidden) << complaint.text;
    EXPECT_THAT(complaint.text, HasSubstr("client certificate"));
}

TEST_F(tls_locks, recover_after_the_connection_was_cut) {
    redis_server server{tls_server(authority_)};
    const auto watch = std::make_shared<recording_observer>();
    client here{server.url() + "?ca=" + authority_.ca_file(), {.observer = watch}};
    const auto span = scaled(900ms);
    const auto held = mutex{here, "stock"}.acquire({.lease = span});
    drop_connections(server);
    EXPECT_TRUE(throughout(span + 50ms, [&] { return held.valid(); }));
    client other{server.url() + "?ca=" + authority_.ca_file()};
    EXPECT_NO_THROW(hand_over(here, other, "page"));
}

TEST_F(tls_locks, fail_on_a_port_without_tls) {
    const redis_server server;
    client here{"rediss://127.0.0.1:" + std::to_string(server.port()) + "?connect_timeout=150",
                {.connect_wait = 300ms}};
    const auto complaint = complaint_of([&] { (void)mutex{here, "stock"}.acquire(); });
    EXPECT_EQ(complaint.code, errc::unavailable) << complaint.text;
    EXPECT_THAT(complaint.text, HasSubstr("127.0.0.1:" + std::to_string(server.port())));
}

TEST_F(tls_locks, fail_without_tls_on_a_tls_port) {
    const redis_server server{tls_server(authority_)};
    client here{"redis://127.0.0.1:" + std::to_string(server.port()), {.connect_wait = 300ms}};
    const auto complaint = complaint_of([&] { (void)mutex{here, "stock"}.acquire(); });
    EXPECT_EQ(complaint.code, errc::unavailable) << complaint.text;
    EXPECT_THAT(complaint.text, HasSubstr("rediss://"));
}

} // namespace
} // namespace holdfast::test
