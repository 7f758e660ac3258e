// How much memory the host has and how much of it is free, as the kernel and the control groups see it.
#pragma once

#include <cstdint>

namespace asnumpy::cpu {

struct HostMemory {
    std::uint64_t total = 0;      // the machine's, or the smallest limit set on this process
    std::uint64_t available = 0;  // what can still be used without swapping or being killed
};

HostMemory host_memory();

}  // namespace asnumpy::cpu
