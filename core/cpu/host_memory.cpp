// Reads /proc/meminfo and the memory limits of the control groups (versions 1 and 2) that hold this process.
#include "cpu/host_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/immortal.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> read_number(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t value = 0;
    if (file >> value) return value;  // "max" is not a number: no limit
    return std::nullopt;
}

// The number after `key` in a file of "key number" lines; 0 when it is not there.
std::uint64_t read_field(const std::string& path, std::string_view key) {
    std::ifstream file(path);
    std::string word;
    while (file >> word) {
        if (word == key) {
            std::uint64_t value = 0;
            file >> value;
            return value;
        }
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

// One group that may limit this process: the files that say so.
struct ControlGroup {
    std::string limit, usage, statistics;
    std::string_view reclaimable;  // page cache that the kernel drops before it kills
};

std::vector<ControlGroup> find_groups() {
    std::vector<ControlGroup> groups;
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {  // "0::/path" or "5:memory:/path"
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const bool unified = line.compare(0, 3, "0::") == 0;
        if (!unified && controllers.find(",memory,") == std::string::npos) continue;
        std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        if (unified && access("/sys/fs/cgroup/unified", F_OK) == 0) root = "/sys/fs/cgroup/unified";
        // The limits of all ancestors hold. In a container the path may not be mounted, only its root.
        std::string path = line.substr(second + 1);
        while (true) {
            const std::string folder = path == "/" ? root : root + path;
            if (unified)
                groups.push_back({folder + "/memory.max", folder + "/memory.current", folder + "/memory.stat", "inactive_file"});
            else
                groups.push_back({folder + "/memory.limit_in_bytes", folder + "/memory.usage_in_bytes",
                                  folder + "/memory.stat", "total_inactive_file"});
            if (path.empty() || path == "/") break;
            path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
        }
    }
    std::erase_if(groups, [](const ControlGroup& g) { return access(g.limit.c_str(), R_OK) != 0; });
    return groups;
}

}  // namespace

HostMemory host_memory() {
    HostMemory memory;
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    memory.total = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * page;
    memory.available = read_field("/proc/meminfo", "MemAvailable:") * 1024;
    if (memory.available == 0) memory.available = static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
    static Immortal<const std::vector<ControlGroup>> groups(find_groups());
    for (const ControlGroup& g : *groups) {
        const std::uint64_t limit = read_number(g.limit).value_or(unlimited);
        if (limit >= memory.total) continue;
        memory.total = limit;
        const std::uint64_t used = read_number(g.usage).value_or(0);
        const std::uint64_t dropped = std::min(used, read_field(g.statistics, g.reclaimable));
        memory.available = std::min(memory.available, limit - std::min(limit, used - dropped));
    }
    return memory;
}

}  // namespace asnumpy::cpu
