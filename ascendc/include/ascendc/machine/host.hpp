// What surrounds a launch: global memory, and where prints go. The simulator is one host, a plain process another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <string>

namespace ascendc {

// A piece of global memory: [begin, end) as kernels address it, `distance` from there to where this process may touch it.
// `asked_end`: what the owner asked for; the rest up to `end` is the allocator's rounding.
struct Allocation {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uintptr_t asked_end = 0;
    std::ptrdiff_t distance = 0;
};

class Host {
public:
    virtual ~Host() = default;
    // The allocation that holds the address; false: there is none, or it was freed, or it is another device's.
    virtual bool find(std::uintptr_t address, Allocation& found) = 0;
    // One print of a kernel: a whole text, by one core.
    virtual void print(const std::string& text) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }
};

// A process without a simulator: its own memory is global memory. Ranges may be registered; then only they are.
class PlainHost : public Host {
public:
    bool find(std::uintptr_t address, Allocation& found) override {
        const std::lock_guard lock(mutex_);
        if (ranges_.empty()) {
            found = {0, std::numeric_limits<std::uintptr_t>::max(), std::numeric_limits<std::uintptr_t>::max(), 0};
            return true;
        }
        auto next = ranges_.upper_bound(address);
        if (next == ranges_.begin()) return false;
        --next;
        if (address >= next->second) return false;
        found = {next->first, next->second, next->second, 0};
        return true;
    }
    void add(const void* begin, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        ranges_[reinterpret_cast<std::uintptr_t>(begin)] = reinterpret_cast<std::uintptr_t>(begin) + bytes;
    }
    void remove(const void* begin) {
        const std::lock_guard lock(mutex_);
        ranges_.erase(reinterpret_cast<std::uintptr_t>(begin));
    }

private:
    std::mutex mutex_;
    std::map<std::uintptr_t, std::uintptr_t> ranges_;
};

}  // namespace ascendc
