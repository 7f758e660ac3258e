// How many processors there are for us, from the affinity mask and the quotas of control groups.
#include "cpu/processors.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace asnumpy::cpu {
namespace {

// The processors that a cgroup's quota amounts to, rounded up; thread_limit when it sets none.
int quota_processors(double quota, double period) {
    if (quota <= 0 || period <= 0) return thread_limit;
    return std::max(1, static_cast<int>(std::min((quota + period - 1) / period, double{thread_limit})));
}

int quota_of_group(const std::string& folder, bool version2) {
    if (version2) {
        std::string quota;
        double period = 0;
        if (std::ifstream file(folder + "/cpu.max"); file >> quota >> period && quota != "max")
            return quota_processors(std::strtod(quota.c_str(), nullptr), period);
        return thread_limit;
    }
    double quota = 0, period = 0;
    std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
    if (quota_file >> quota && period_file >> period) return quota_processors(quota, period);
    return thread_limit;
}

// The smallest quota of this process's control groups and their ancestors. A container may see its group's
// files at the root of the mount rather than under the path that the kernel names, so the root is always read.
int cgroup_processors() {
    int allowed = thread_limit;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first, second - first) + ",";  // ":name,name,"
        const bool version2 = controllers == ":,";
        if (!version2 && controllers.find(",cpu,") == std::string::npos && !controllers.starts_with(":cpu,")) continue;
        std::string path = line.substr(second + 1);
        while (!path.empty() && path.back() == '/') path.pop_back();
        const std::string mount = version2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
        for (;;) {
            allowed = std::min(allowed, quota_of_group(mount + path, version2));
            if (path.empty()) break;
            const auto slash = path.rfind('/');
            path.resize(slash == std::string::npos ? 0 : slash);
        }
    }
    return allowed;
}

}  // namespace

int count_processors() {
    int processors = static_cast<int>(std::thread::hardware_concurrency());
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) processors = CPU_COUNT(&mask);
    return std::clamp(std::min(processors, cgroup_processors()), 1, thread_limit);
}

int current_processor() { return sched_getcpu(); }

std::optional<int> Processors::keep_off(pid_t thread) const {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return std::nullopt;
    cpu_set_t rest;
    CPU_AND(&rest, &allowed, &set_);
    CPU_XOR(&rest, &allowed, &rest);
    // A thread that ended, or a system that forbids this, leaves everything as it was: only time is lost.
    static_cast<void>(sched_setaffinity(thread, sizeof rest, CPU_COUNT(&rest) ? &rest : &allowed));
    if (CPU_COUNT(&rest) != 1) return std::nullopt;
    for (int processor = 0;; ++processor)
        if (CPU_ISSET(static_cast<unsigned>(processor), &rest)) return processor;
}

}  // namespace asnumpy::cpu
