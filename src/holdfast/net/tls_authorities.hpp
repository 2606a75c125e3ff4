#pragma once
// The certificate authorities that the system trusts.

#include <openssl/x509.h>

namespace holdfast::net {

/// OpenSSL's default store, which SSL_CERT_FILE and SSL_CERT_DIR can change. Reading it takes tens
/// of milliseconds, during which no lease is renewed. So it is cached, and read again only after
/// the file has changed. The store is never freed. Null if there is no memory.
///
/// Thread safety: may be called from any thread.
[[nodiscard]] X509_STORE* system_authorities();

} // namespace holdfast::net
