#include "holdfast/net/tls_authorities.hpp"

#include "holdfast/base/process.hpp"

#include <openssl/x509_vfy.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <sys/stat.h>

namespace holdfast::net {

namespace {

/// Where the authorities come from. If it changes, they are read again.
struct authority_source {
    std::string file{};
    std::string folder{};
    std::int64_t changed_s = 0;
    std::int64_t changed_ns = 0;
    std::int64_t size = 0;
    /// A child of fork() reads them again: another thread of the parent may have held the store's
    /// lock during the fork.
    std::uint64_t generation = 0;

    bool operator==(const authority_source&) const = default;
};

std::string environment_or(const char* variable, const char* fallback) {
    const char* const value = ::secure_getenv(variable); // as OpenSSL does
    return value != nullptr ? value : fallback;
}

authority_source current_source() {
    authority_source out{
        .file = environment_or(X509_get_default_cert_file_env(), X509_get_default_cert_file()),
        .folder = environment_or(X509_get_default_cert_dir_env(), X509_get_default_cert_dir()),
        .generation = base::process_generation()};
    struct stat status {};
    if (::stat(out.file.c_str(), &status) == 0) {
        out.changed_s = status.st_mtim.tv_sec;
        out.changed_ns = status.st_mtim.tv_nsec;
        out.size = status.st_size;
    }
    return out;
}

struct cached_store {
    authority_source source;
    X509_STORE* store;
    const cached_store* previous; ///< never freed: other threads may still use it
};

std::atomic<const cached_store*> newest{nullptr};

} // namespace

X509_STORE* system_authorities() {
    auto source = current_source();
    const cached_store* cached = newest.load();
    if (cached != nullptr && cached->source == source) { return cached->store; }
    std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store{X509_STORE_new(),
                                                                  X509_STORE_free};
    if (!store || X509_STORE_set_default_paths(store.get()) != 1) { return nullptr; }
    auto entry =
        std::make_unique<cached_store>(cached_store{std::move(source), store.get(), cached});
    while (!newest.compare_exchange_weak(entry->previous, entry.get())) {}
    (void)entry.release();
    return store.release();
}

} // namespace holdfast::net
