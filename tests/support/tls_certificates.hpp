#pragma once
// Temporary certificates, issued by an authority that lives as long as the test.

#include <memory>
#include <string>

struct evp_pkey_st;
struct x509_st;

namespace holdfast::test {

/// PEM files.
struct tls_identity {
    std::string certificate{};
    std::string private_key{};
};

struct certificate_options {
    std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1"; ///< subjectAltName; empty: none
    int from_days = -1;                                      ///< valid from and to, from now on
    int to_days = 1;
};

/// Thread safety: none.
class tls_authority {
public:
    /// Writes its files under its name into the folder, which must exist.
    tls_authority(std::string folder, std::string name = "ca");
    tls_authority(const tls_authority&) = delete;
    tls_authority& operator=(const tls_authority&) = delete;
    ~tls_authority();

    /// The CA file for peers that trust it.
    [[nodiscard]] const std::string& ca_file() const noexcept { return ca_file_; }
    /// Issues a certificate for a server or a client.
    [[nodiscard]] tls_identity issue(const std::string& name,
                                     const certificate_options& options = {});

private:
    std::string folder_;
    std::string name_;
    std::string ca_file_;
    std::unique_ptr<evp_pkey_st, void (*)(evp_pkey_st*)> key_;
    std::unique_ptr<x509_st, void (*)(x509_st*)> certificate_;
    long last_serial_ = 1;
};

/// Writes the private key, encrypted, to another file, and returns its path.
[[nodiscard]] std::string encrypted_copy(const std::string& private_key);

} // namespace holdfast::test
