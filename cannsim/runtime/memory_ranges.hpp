// The devices' address ranges in a form that a signal handler may read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cannsim {

struct DeviceRange {
    std::atomic<std::uintptr_t> begin{0}, end{0};
    std::ptrdiff_t distance = 0;
};

std::span<DeviceRange> device_ranges();

template <class Ranges> int device_of_range(const Ranges& ranges, std::uintptr_t address) {
    for (int device = 0; const DeviceRange& range : ranges) {
        const std::uintptr_t begin = range.begin.load(std::memory_order_acquire);
        if (begin && address >= begin && address < range.end.load(std::memory_order_relaxed)) return device;
        ++device;
    }
    return -1;
}

}  // namespace cannsim
