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

/// What makes another reading necessary if it differs.
struct source {
    std::string file{};
    std::string folder{};
    std::int64_t changed_s = 0;
    std::int64_t changed_ns = 0;
    std::int64_t size = 0;
    /// A child of fork() reads for itself: in the parent, another thread may have held the lock
    /// that is in the store.
    std::uint64_t generation = 0;

    bool operator==(const source&) const = default;
};

std::string setting(const char* variable, const char* otherwise) {
    const char* const value = ::secure_getenv(variable); // as OpenSSL does
    return value != nullptr ? value : otherwise;
}

source current_source() {
    source out{.file = setting(X509_get_default_cert_file_env(), X509_get_default_cert_file()),
               .folder = setting(X509_get_default_cert_dir_env(), X509_get_default_cert_dir()),
               .generation = base::process_generation()};
    struct stat about {};
    if (::stat(out.file.c_str(), &about) == 0) {
        out.changed_s = about.st_mtim.tv_sec;
        out.changed_ns = about.st_mtim.tv_nsec;
        out.size = about.st_size;
    }
    return out;
}

struct reading {
    source from;
    X509_STORE* store;
    const reading* before; ///< kept, because others may still be looking at it
};

std::atomic<const reading*> newest{nullptr};

} // namespace

X509_STORE* system_authorities() {
    auto from = current_source();
    const reading* seen = newest.load();
    if (seen != nullptr && seen->from == from) { return seen->store; }
    std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store{X509_STORE_new(),
                                                                  X509_STORE_free};
    if (!store || X509_STORE_set_default_paths(store.get()) != 1) { return nullptr; }
    auto made = std::make_unique<reading>(reading{std::move(from), store.get(), seen});
    while (!newest.compare_exchange_weak(made->before, made.get())) {}
    (void)made.release();
    return store.release();
}

} // namespace holdfast::net
