#include "harness/deployment.hpp"
#include "support/embedded_store.hpp"
#include "support/scratch_folder.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <sched.h>
#include <stdexcept>
#include <sys/mount.h>
#include <unistd.h>

namespace holdfast::test {

namespace {

/// A small disk of its own, if this process may mount one: only it and its children see it.
class small_disk {
public:
    small_disk() {
        mounted_ = ::unshare(CLONE_NEWNS) == 0 &&
                   ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                   ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=16m") == 0;
        ::setenv("TMPDIR", folder_.path().c_str(), 1); // embedded_store makes its folder there
    }
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;
    ~small_disk() {
        ::unsetenv("TMPDIR");
        if (mounted_) { ::umount2(folder_.path().c_str(), MNT_DETACH); }
    }
    [[nodiscard]] bool is_mounted() const { return mounted_; }
    void fill_for(milliseconds length) const {
        const auto ballast = folder_ / "ballast";
        const int file = ::open(ballast.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (file < 0) { throw std::runtime_error{"cannot create " + ballast}; }
        const std::string some(4096, 'b');
        while (::write(file, some.data(), some.size()) > 0) {}
        ::close(file);
        std::this_thread::sleep_for(length);
        ::unlink(ballast.c_str());
    }

private:
    scratch_folder folder_;
    bool mounted_ = false;
};

class embedded_deployment final : public deployment {
public:
    [[nodiscard]] std::string url() const override { return store_.url(); }
    [[nodiscard]] std::string other_url() const override { return other_.url(); }
    [[nodiscard]] std::string admin_url() const override { return store_.url(); }
    [[nodiscard]] bool can_lose_data() const override { return true; }
    [[nodiscard]] std::vector<fault_kind> kinds() const override {
        std::vector<fault_kind> out{fault_kind::server_stop, fault_kind::data_loss};
        if (disk_.is_mounted()) { out.push_back(fault_kind::store_full); }
        return out;
    }
    [[nodiscard]] std::string missing() const override {
        return disk_.is_mounted() ? "" : "full store: this needs the right to mount a tmpfs";
    }
    [[nodiscard]] fault_effects inject(fault_kind kind, std::minstd_rand& random) override {
        const milliseconds length{300 + static_cast<int>(random() % 1200)};
        switch (kind) {
        case fault_kind::server_stop:
            if (store_.hang()) { std::this_thread::sleep_for(length); }
            store_.resume();
            return {};
        case fault_kind::store_full: disk_.fill_for(length); return {};
        case fault_kind::data_loss: {
            const bool lost = store_.lose_data();
            return {.keeps_proviso = !lost, .loses_data = lost};
        }
        default: throw std::logic_error{"this fault does not apply to embedded:"};
        }
    }
    [[nodiscard]] milliseconds settle(fault_kind kind) const override {
        return kind == fault_kind::data_loss ? 2 * lease + 500ms : 300ms;
    }
    [[nodiscard]] std::string left_behind() override {
        std::string out;
        const std::filesystem::path file{store_.url().substr(std::string{"embedded:"}.size())};
        for (const auto& entry : std::filesystem::directory_iterator{file.parent_path()}) {
            const auto name = entry.path().filename().string();
            const auto base = file.filename().string();
            if (name != base && name != base + "-wal" && name != base + "-shm" &&
                name != base + "-live" && name != base + "-inbox") {
                out += name + '\n';
            }
        }
        return out;
    }

private:
    small_disk disk_; // before the stores, which are on it
    embedded_store store_;
    embedded_store other_;
};

} // namespace

std::unique_ptr<deployment> make_embedded_deployment() {
    return std::make_unique<embedded_deployment>();
}

} // namespace holdfast::test
