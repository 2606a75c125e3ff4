#include "holdfast/net/tls_context.hpp"

#include "holdfast/base/fd.hpp"
#include "holdfast/base/quote.hpp"
#include "holdfast/net/system_text.hpp"
#include "holdfast/net/tls_authorities.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <unistd.h>

namespace holdfast::net {

namespace {

[[noreturn]] void complain(const std::string& why) {
    ERR_clear_error();
    throw tls_problem{why};
}

void require(bool done, const char* what) {
    if (done) { return; }
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    complain(std::string{"TLS cannot be set up: "} + what +
             (reason != nullptr ? std::string{": "} + reason : std::string{}));
}

// OpenSSL does not say apart what is wrong with a file.
[[noreturn]] void complain_of_file(const std::string& what, const std::string& path,
                                   const std::string& if_readable) {
    const std::string named = what + " " + base::quote(path);
    const base::fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    char first = 0;
    if (!file || ::read(file.get(), &first, 1) < 0) {
        complain(named + " cannot be read: " + system_text(errno));
    }
    complain(named + " " + if_readable);
}

void load_authorities(SSL_CTX* context, const std::string& ca_file) {
    if (ca_file.empty()) {
        X509_STORE* const systems = system_authorities();
        require(systems != nullptr, "the system's authorities");
        SSL_CTX_set1_cert_store(context, systems);
    } else if (SSL_CTX_load_verify_file(context, ca_file.c_str()) != 1) {
        complain_of_file("the CA file", ca_file, "holds no certificate in PEM");
    }
}

void load_own_certificate(SSL_CTX* context, const std::string& file, const std::string& key) {
    if (file.empty() && key.empty()) { return; }
    if (key.empty()) { complain("there is a client certificate but no private key for it"); }
    if (file.empty()) { complain("there is a private key but no client certificate for it"); }
    // Without it, OpenSSL would ask on the terminal.
    bool encrypted = false;
    SSL_CTX_set_default_passwd_cb_userdata(context, &encrypted);
    SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void* asked) {
        *static_cast<bool*>(asked) = true;
        return -1;
    });
    if (SSL_CTX_use_certificate_chain_file(context, file.c_str()) != 1) {
        complain_of_file("the client certificate", file, "holds no certificate in PEM");
    }
    const bool loaded = SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) == 1;
    SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
    if (encrypted) {
        complain("the private key " + base::quote(key) + " is encrypted, which is not supported");
    }
    if (!loaded && ERR_GET_REASON(ERR_peek_last_error()) != X509_R_KEY_VALUES_MISMATCH) {
        complain_of_file("the private key", key, "holds no private key in PEM");
    }
    if (!loaded || SSL_CTX_check_private_key(context) != 1) {
        complain("the private key " + base::quote(key) + " does not belong to the certificate " +
                 base::quote(file));
    }
}

bool is_address(const std::string& name) {
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    return ::inet_pton(AF_INET, name.c_str(), ignored.data()) == 1 ||
           ::inet_pton(AF_INET6, name.c_str(), ignored.data()) == 1;
}

void demand_name(SSL* connection, const std::string& name) {
    // An empty name would match every certificate, and so would what comes before a zero byte.
    if (name.empty()) { complain("there is no server name that the certificate could bear"); }
    if (name.find('\0') != std::string::npos) {
        complain("the server name " + base::quote(name) + " holds a zero byte");
    }
    X509_VERIFY_PARAM* demands = SSL_get0_param(connection);
    X509_VERIFY_PARAM_set_hostflags(demands, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (is_address(name)) {
        require(X509_VERIFY_PARAM_set1_ip_asc(demands, name.c_str()) == 1, "the server's address");
    } else {
        require(X509_VERIFY_PARAM_set1_host(demands, name.data(), name.size()) == 1,
                "the server's name");
    }
    SSL_set_verify(connection, SSL_VERIFY_PEER, nullptr);
}

} // namespace

ssl_context make_context(const tls_terms& terms) {
    // Not cleaned up by exit(): a client in a static variable may still speak to its server then.
    OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
    ERR_clear_error();
    ssl_context out{SSL_CTX_new(TLS_client_method())};
    require(out != nullptr, "memory");
    require(SSL_CTX_set_min_proto_version(out.get(), TLS1_2_VERSION) == 1, "TLS 1.2");
    SSL_CTX_set_options(out.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(out.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(out.get(), SSL_SESS_CACHE_OFF);
    if (terms.verify) { load_authorities(out.get(), terms.ca_file); }
    load_own_certificate(out.get(), terms.certificate, terms.private_key);
    return out;
}

std::string expected_name(const endpoint& where) {
    if (!where.tls->server_name.empty()) { return where.tls->server_name; }
    std::string name = where.host;
    if (name.find(':') != std::string::npos) { name = name.substr(0, name.find('%')); }
    if (name.ends_with('.')) { name.pop_back(); } // a full name may; certificates do not
    return name;
}

ssl_connection make_connection(SSL_CTX* context, const tls_terms& terms, const std::string& name) {
    ERR_clear_error();
    ssl_connection out{SSL_new(context)};
    require(out != nullptr, "memory");
    SSL_set_connect_state(out.get());
    if (terms.verify) { demand_name(out.get(), name); }
    if (!name.empty() && !is_address(name)) {
        // SSL_set_tlsext_host_name, whose macro casts as C does; the name is copied.
        require(SSL_ctrl(out.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                         const_cast<char*>(name.c_str())) == 1,
                "the server's name");
    }
    return out;
}

} // namespace holdfast::net
