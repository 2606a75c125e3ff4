#include "holdfast/net/tls_context.hpp"

#include "holdfast/base/fd.hpp"
#include "holdfast/base/quote.hpp"
#include "holdfast/base/system_text.hpp"
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

[[noreturn]] void throw_setup_error(const std::string& message) {
    ERR_clear_error();
    throw tls_setup_error{message};
}

void require(bool succeeded, const char* step) {
    if (succeeded) { return; }
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    throw_setup_error(std::string{"TLS cannot be set up: "} + step +
                      (reason != nullptr ? std::string{": "} + reason : std::string{}));
}

// OpenSSL does not distinguish a file that cannot be read from one with the wrong contents.
[[noreturn]] void throw_file_error(const std::string& kind, const std::string& path,
                                   const std::string& if_readable) {
    const std::string file_text = kind + " " + base::quote(path);
    const base::fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    char first = 0;
    if (!file || ::read(file.get(), &first, 1) < 0) {
        throw_setup_error(file_text + " cannot be read: " + base::system_text(errno));
    }
    throw_setup_error(file_text + " " + if_readable);
}

void load_authorities(SSL_CTX* context, const std::string& ca_file) {
    if (ca_file.empty()) {
        X509_STORE* const store = system_authorities();
        require(store != nullptr, "the system's authorities");
        SSL_CTX_set1_cert_store(context, store);
    } else if (SSL_CTX_load_verify_file(context, ca_file.c_str()) != 1) {
        throw_file_error("the CA file", ca_file, "holds no certificate in PEM");
    }
}

void load_own_certificate(SSL_CTX* context, const std::string& file, const std::string& key) {
    if (file.empty() && key.empty()) { return; }
    if (key.empty()) {
        throw_setup_error("there is a client certificate but no private key for it");
    }
    if (file.empty()) {
        throw_setup_error("there is a private key but no client certificate for it");
    }
    // The default callback prompts for a password on the terminal.
    bool encrypted = false;
    SSL_CTX_set_default_passwd_cb_userdata(context, &encrypted);
    SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void* encrypted_flag) {
        *static_cast<bool*>(encrypted_flag) = true;
        return -1;
    });
    if (SSL_CTX_use_certificate_chain_file(context, file.c_str()) != 1) {
        throw_file_error("the client certificate", file, "holds no certificate in PEM");
    }
    const bool loaded = SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) == 1;
    SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
    if (encrypted) {
        throw_setup_error("the private key " + base::quote(key) +
                          " is encrypted, which is not supported");
    }
    if (!loaded && ERR_GET_REASON(ERR_peek_last_error()) != X509_R_KEY_VALUES_MISMATCH) {
        throw_file_error("the private key", key, "holds no private key in PEM");
    }
    if (!loaded || SSL_CTX_check_private_key(context) != 1) {
        throw_setup_error("the private key " + base::quote(key) +
                          " does not belong to the certificate " + base::quote(file));
    }
}

bool is_address(const std::string& name) {
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    return ::inet_pton(AF_INET, name.c_str(), ignored.data()) == 1 ||
           ::inet_pton(AF_INET6, name.c_str(), ignored.data()) == 1;
}

void require_name(SSL* connection, const std::string& name) {
    // OpenSSL accepts every certificate for an empty name, and ignores what follows a zero byte.
    if (name.empty()) {
        throw_setup_error("there is no server name that the certificate could bear");
    }
    if (name.find('\0') != std::string::npos) {
        throw_setup_error("the server name " + base::quote(name) + " holds a zero byte");
    }
    X509_VERIFY_PARAM* parameters = SSL_get0_param(connection);
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (is_address(name)) {
        require(X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str()) == 1,
                "the server's address");
    } else {
        require(X509_VERIFY_PARAM_set1_host(parameters, name.data(), name.size()) == 1,
                "the server's name");
    }
    SSL_set_verify(connection, SSL_VERIFY_PEER, nullptr);
}

} // namespace

ssl_context make_context(const tls_options& options) {
    // OpenSSL must not clean up in exit(): a client in a static variable may still use it then.
    OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
    ERR_clear_error();
    ssl_context out{SSL_CTX_new(TLS_client_method())};
    require(out != nullptr, "memory");
    require(SSL_CTX_set_min_proto_version(out.get(), TLS1_2_VERSION) == 1, "TLS 1.2");
    SSL_CTX_set_options(out.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(out.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(out.get(), SSL_SESS_CACHE_OFF);
    if (options.verify) { load_authorities(out.get(), options.ca_file); }
    load_own_certificate(out.get(), options.certificate, options.private_key);
    return out;
}

std::string expected_name(const endpoint& endpoint) {
    if (!endpoint.tls->server_name.empty()) { return endpoint.tls->server_name; }
    std::string name = endpoint.host;
    if (name.find(':') != std::string::npos) { name = name.substr(0, name.find('%')); }
    if (name.ends_with('.')) { name.pop_back(); } // certificates name no trailing dot
    return name;
}

ssl_connection make_connection(SSL_CTX* context, const tls_options& options,
                               const std::string& name) {
    ERR_clear_error();
    ssl_connection out{SSL_new(context)};
    require(out != nullptr, "memory");
    SSL_set_connect_state(out.get());
    if (options.verify) { require_name(out.get(), name); }
    if (!name.empty() && !is_address(name)) {
        // SSL_set_tlsext_host_name() without its C-style cast. OpenSSL copies the name.
        require(SSL_ctrl(out.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                         const_cast<char*>(name.c_str())) == 1,
                "the server's name");
    }
    return out;
}

} // namespace holdfast::net
