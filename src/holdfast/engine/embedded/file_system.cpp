#include "holdfast/engine/embedded/file_system.hpp"

#include "holdfast/base/process.hpp"
#include "holdfast/engine/embedded/failure.hpp"

#include <array>
#include <cerrno>
#include <sys/vfs.h>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

struct file_system_type {
    std::uint64_t magic;
    std::string_view name;
};

// From linux/magic.h, and from the projects themselves for those that are not in the kernel.
constexpr std::array shared_file_systems{
    file_system_type{0x6969, "NFS"},
    file_system_type{0x517b, "SMB"},
    file_system_type{0xff534d42, "CIFS"},
    file_system_type{0xfe534d42, "SMB"},
    file_system_type{0x564c, "NCP"},
    file_system_type{0x01021997, "9p"},
    file_system_type{0x65735546, "FUSE"},
    file_system_type{0x00c36400, "Ceph"},
    file_system_type{0x5346414f, "AFS"},
    file_system_type{0x6b414653, "AFS"},
    file_system_type{0x73757245, "Coda"},
    file_system_type{0x0bd00bd0, "Lustre"},
    file_system_type{0x01161970, "GFS2"},
    file_system_type{0x7461636f, "OCFS2"},
    file_system_type{0x47504653, "GPFS"},
    file_system_type{0x19830326, "BeeGFS"},
    file_system_type{0x20030528, "OrangeFS"},
    file_system_type{0xaad7aaea, "PanFS"},
    file_system_type{0xbeefdead, "SNFS"},
    file_system_type{0x61636673, "ACFS"},
    file_system_type{0x013111a8, "IBRIX"},
    file_system_type{0x786f4256, "VirtualBox shared folder"},
    file_system_type{0xbacbacbc, "VMware shared folder"},
};

} // namespace

std::optional<std::string_view> unsuitable_file_system(std::uint64_t magic) noexcept {
    for (const file_system_type& type : shared_file_systems) {
        if (type.magic == magic) { return type.name; }
    }
    return std::nullopt;
}

bool has_boottime_offset(std::string_view timens_offsets) noexcept {
    const auto at = timens_offsets.find("boottime");
    if (at == std::string_view::npos) { return false; }
    auto line = timens_offsets.substr(at + std::string_view{"boottime"}.size());
    line = line.substr(0, line.find('\n'));
    return line.find_first_not_of(" \t0-") != std::string_view::npos;
}

void check_suitable(const std::string& path) {
    struct statfs file_system {};
    if (::statfs(path.c_str(), &file_system) != 0) { throw system_failure(path, "examine", errno); }
    // The number has 32 bits; the field is signed and wider on some machines.
    const auto magic = static_cast<std::uint64_t>(file_system.f_type) & 0xffffffffU;
    if (const auto name = unsuitable_file_system(magic)) {
        throw failure{errc::store_unsuitable,
                      path + " lies on " + std::string{*name} +
                          ", where different machines do not see each "
                          "other's locks; use a file on a local disk: embedded:/path"};
    }
    if (has_boottime_offset(base::read_small_file("/proc/self/timens_offsets"))) {
        throw failure{errc::store_unsuitable,
                      path + " cannot be used from this time namespace, whose boot-time clock is "
                             "shifted; run outside of that namespace"};
    }
}

} // namespace holdfast::engine::embedded
