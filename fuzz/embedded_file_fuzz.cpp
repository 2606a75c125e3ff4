// A damaged file of the embedded engine: operations answer or fail, and nothing else happens.

#include "fuzz/check.hpp"
#include "holdfast/engine/factory.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

using namespace holdfast;

/// As the file in the corpus has them, so that the engine reads on.
constexpr std::string_view live_id = "live-file-id-016";
constexpr std::string_view boot_id = "00000000-1111-2222-3333-444444444444";

engine::client_identity identity_of_boot() {
    auto out = engine::this_process();
    out.boot = boot_id;
    return out;
}

/// A folder in memory, for this process; removed at its end.
class scratch_folder {
public:
    scratch_folder() {
        std::string pattern = std::filesystem::exists("/dev/shm") ? "/dev/shm/" : "/tmp/";
        pattern += "holdfast-fuzz-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) { std::abort(); }
        path_ = pattern;
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() { std::filesystem::remove_all(path_); }

    /// Its only file, with this content.
    [[nodiscard]] std::string write(const std::uint8_t* data, std::size_t size) const {
        for (const auto& entry : std::filesystem::directory_iterator{path_}) {
            std::filesystem::remove_all(entry);
        }
        const auto file = path_ / "locks.db";
        std::ofstream{file, std::ios::binary}.write(reinterpret_cast<const char*>(data),
                                                    static_cast<std::streamsize>(size));
        std::ofstream{path_ / "locks.db-live", std::ios::binary} << live_id;
        return file;
    }

private:
    std::filesystem::path path_;
};

class counting_sink final : public engine::sink {
public:
    void answered(engine::answer&& answer) override { ++counts[answer.id]; }
    void noticed(const engine::notice& /*notice*/) override {}
    std::map<engine::op_id, unsigned> counts;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const scratch_folder folder;
    static const auto identity = identity_of_boot();
    const auto file = folder.write(data, size);
    counting_sink sink;
    const auto store = engine::make_engine(engine::url::parse("embedded:" + file), identity);
    store->attach(sink);
    const auto now = base::boot_clock::now();
    const auto give_up = now + std::chrono::milliseconds{200};
    const engine::ticket ticket{"stock", {identity.client, 1}, {}};
    engine::acquire_op acquire;
    acquire.ticket = ticket;
    acquire.lease = std::chrono::seconds{10};
    const std::vector<engine::op> operations{engine::list_op{"", "", 100, {}},
                                             engine::inspect_op{"stock", {}}, acquire,
                                             engine::release_op{ticket}, engine::diagnose_op{}};
    engine::op_id last = 0;
    for (const auto& operation : operations) { store->submit(++last, operation, give_up); }
    for (int turn = 0; turn < 100 && sink.counts.size() < operations.size(); ++turn) {
        (void)store->drive({}, base::boot_clock::now());
        if (turn > 10) { ::usleep(10'000); }
    }
    for (engine::op_id id = 1; id <= last; ++id) {
        fuzz::check(sink.counts[id] == 1, "every operation is answered exactly once");
    }
    return 0;
}
