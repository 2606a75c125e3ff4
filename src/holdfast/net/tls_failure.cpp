#include "holdfast/net/tls_failure.hpp"

#include "holdfast/base/quote.hpp"
#include "holdfast/base/system_text.hpp"
#include "holdfast/net/socket_stream.hpp"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

namespace holdfast::net {

namespace {

constexpr const char* certificate_demanded = "the server demands a client certificate";

std::string certificate_text(long verify_result, const std::string& name) {
    switch (verify_result) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return "the server's certificate has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID: return "the server's certificate is not yet valid";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return "the server's certificate is not for " + base::quote(name);
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_UNTRUSTED:
        return "the server's certificate is not from an authority that is trusted here";
    default: break;
    }
    return std::string{"the server's certificate does not verify: "} +
           X509_verify_cert_error_string(verify_result);
}

std::string reason_text(unsigned long code) {
    const char* reason = ERR_reason_error_string(code);
    return reason != nullptr ? reason : "error " + std::to_string(code);
}

tls_failure protocol_failure(unsigned long code, const tls_connection_info& info) {
    switch (ERR_GET_REASON(code)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_RECORD_LENGTH_MISMATCH:
        if (info.in_handshake) { return {"the server does not speak TLS on this port", true}; }
        break;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_VERSION_TOO_LOW: return {"the server speaks no TLS of version 1.2 or newer", true};
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return {certificate_demanded, true};
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE: // TLS 1.2 has no more specific alert
        if (info.certificate_requested) { return {certificate_demanded, true}; }
        return {"the server refuses the TLS handshake, perhaps for want of a common cipher", true};
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
        return {"the server refuses the client certificate: " + reason_text(code), true};
    case SSL_R_TLSV1_UNRECOGNIZED_NAME:
        return {"the server does not know the name " + base::quote(info.name), true};
    default: break;
    }
    return {"TLS failed: " + reason_text(code), false};
}

tls_failure socket_failure(int error, const tls_connection_info& info) {
    std::string text = error != 0 ? base::system_text(error) : closed_by_server;
    if (info.in_handshake) { text += " during the TLS handshake"; }
    // The server's alert may have been lost.
    if (info.certificate_requested) { text += "; it had asked for a client certificate"; }
    return {std::move(text), false};
}

} // namespace

tls_failure describe_failure(const SSL* connection, int result, const tls_connection_info& info) {
    const unsigned long code = ERR_peek_error();
    ERR_clear_error();
    const bool has_reason = result == SSL_ERROR_SSL && code != 0;
    if (has_reason && ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        return {certificate_text(SSL_get_verify_result(connection), info.name), true};
    }
    if (has_reason && ERR_GET_REASON(code) != SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        return protocol_failure(code, info);
    }
    const auto& link = info.link;
    return socket_failure(link.send_error != 0 ? link.send_error : link.receive_error, info);
}

} // namespace holdfast::net
