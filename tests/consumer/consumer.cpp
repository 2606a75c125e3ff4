// A program outside the tree: takes locks on every engine that needs no server.
//     consumer [--without-embedded] EMPTY-FOLDER
#include <holdfast/holdfast.hpp>

#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>

namespace {

void require(bool truth, const char* what) {
    if (!truth) { throw std::runtime_error{what}; }
}

void lock_on(const std::string& url) {
    holdfast::client fleet{url};
    holdfast::client rival{url};
    holdfast::mutex stock{fleet, "stock:1001"};
    holdfast::mutex same_stock{rival, "stock:1001"};

    {
        std::scoped_lock hold{stock};
        require(stock.token() > 0, "a hold has a token");
        require(!same_stock.try_lock(), "two hold the same name");
    }
    auto lease = same_stock.try_acquire();
    require(lease && lease->valid(), "a released lock is free");
    std::printf("%s: token %llu\n", url.c_str(), static_cast<unsigned long long>(lease->token()));
}

} // namespace

int main(int argc, char** argv) {
    const bool embedded = argc == 2;
    const std::string folder = argv[argc - 1];
    try {
        require(holdfast::library_version() == HOLDFAST_VERSION, "headers and library differ");
        lock_on("memory:");
        const std::string url = "embedded:" + folder + "/locks";
        if (embedded) {
            lock_on(url);
        } else {
            try {
                lock_on(url);
                require(false, "there is an embedded engine in a build without it");
            } catch (const holdfast::error& refused) {
                // Also shows that an exception of the library's is caught outside of it.
                std::printf("%s\n", refused.what());
            }
        }
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "consumer: %s\n", failure.what());
        return 1;
    }
}
