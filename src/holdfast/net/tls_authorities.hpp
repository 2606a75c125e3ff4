#pragma once
// The authorities that the system trusts.

#include <openssl/x509.h>

namespace holdfast::net {

/// As OpenSSL finds them, also by SSL_CERT_FILE and SSL_CERT_DIR. To read them takes tens of
/// milliseconds, in which no lease is renewed: so it is done once, and again only after the file
/// has changed. Lives for ever; null: no memory.
///
/// Thread safety: may be called from any thread.
[[nodiscard]] X509_STORE* system_authorities();

} // namespace holdfast::net
