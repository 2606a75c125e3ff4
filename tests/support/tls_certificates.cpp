#include "support/tls_certificates.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <stdexcept>
#include <utility>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::test {

namespace {

using key_owner = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using certificate_owner = std::unique_ptr<X509, void (*)(X509*)>;
using file_owner = std::unique_ptr<FILE, int (*)(FILE*)>;

void require(bool succeeded, const char* step) {
    if (succeeded) { return; }
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    throw std::runtime_error{std::string{step} + ": " + (reason != nullptr ? reason : "failed")};
}

key_owner new_key() {
    key_owner out{EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"), EVP_PKEY_free};
    require(out != nullptr, "a new key");
    return out;
}

file_owner open_file(const std::string& path, const char* mode) {
    file_owner out{std::fopen(path.c_str(), mode), std::fclose};
    require(out != nullptr, path.c_str());
    return out;
}

void write_certificate(const std::string& path, X509* certificate) {
    require(PEM_write_X509(open_file(path, "w").get(), certificate) == 1, path.c_str());
}

void write_key(const std::string& path, EVP_PKEY* step) {
    require(PEM_write_PrivateKey(open_file(path, "w").get(), step, nullptr, nullptr, 0, nullptr,
                                 nullptr) == 1,
            path.c_str());
}

void extend(X509* certificate, X509* issuer, int kind, const char* value) {
    X509V3_CTX context{};
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
    require(extension != nullptr, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

/// Everything but extensions and signature.
certificate_owner new_certificate(const std::string& name, long serial, EVP_PKEY* key,
                                  int from_days, int to_days) {
    constexpr long day = 24L * 60 * 60;
    certificate_owner out{X509_new(), X509_free};
    require(out != nullptr, "a new certificate");
    X509_set_version(out.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(out.get()), serial);
    X509_gmtime_adj(X509_getm_notBefore(out.get()), from_days * day);
    X509_gmtime_adj(X509_getm_notAfter(out.get()), to_days * day);
    X509_set_pubkey(out.get(), key);
    const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(out.get()), "CN", MBSTRING_ASC, text, -1, -1,
                               0);
    return out;
}

} // namespace

tls_authority::tls_authority(std::string folder, std::string name)
    : folder_{std::move(folder)},
      name_{std::move(name)},
      ca_file_{folder_ + "/" + name_ + ".pem"},
      key_{new_key()},
      certificate_{new_certificate(name_, 1, key_.get(), -100, 100)} {
    X509* mine = certificate_.get();
    X509_set_issuer_name(mine, X509_get_subject_name(mine));
    extend(mine, mine, NID_basic_constraints, "critical,CA:TRUE");
    extend(mine, mine, NID_key_usage, "critical,keyCertSign");
    require(X509_sign(mine, key_.get(), EVP_sha256()) > 0, "a signature");
    write_certificate(ca_file_, mine);
}

tls_authority::~tls_authority() = default;

tls_identity tls_authority::issue(const std::string& name, const certificate_options& options) {
    const auto key = new_key();
    const auto extension =
        new_certificate(name, ++last_serial_, key.get(), options.from_days, options.to_days);
    X509_set_issuer_name(extension.get(), X509_get_subject_name(certificate_.get()));
    if (!options.names.empty()) {
        extend(extension.get(), certificate_.get(), NID_subject_alt_name, options.names.c_str());
    }
    require(X509_sign(extension.get(), key_.get(), EVP_sha256()) > 0, "a signature");
    const std::string file = folder_ + "/" + name_ + "-" + name;
    tls_identity out{.certificate = file + ".pem", .private_key = file + ".key"};
    write_certificate(out.certificate, extension.get());
    write_key(out.private_key, key.get());
    return out;
}

std::string encrypted_copy(const std::string& private_key) {
    const key_owner key{
        PEM_read_PrivateKey(open_file(private_key, "r").get(), nullptr, nullptr, nullptr),
        EVP_PKEY_free};
    require(key != nullptr, private_key.c_str());
    std::string path = private_key + ".encrypted";
    const unsigned char secret[] = "secret";
    require(PEM_write_PrivateKey(open_file(path, "w").get(), key.get(), EVP_aes_128_cbc(), secret,
                                 sizeof secret - 1, nullptr, nullptr) == 1,
            path.c_str());
    return path;
}

} // namespace holdfast::test
