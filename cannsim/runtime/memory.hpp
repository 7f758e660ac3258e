// Device memory that the host cannot touch, and pinned host memory. Each device has one file in memory, mapped twice: without
// any access where clients see it, readable and writable at a fixed distance that only the simulator knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

namespace cannsim {

struct Block {
    std::uintptr_t begin = 0;
    std::size_t size = 0;      // what was asked for
    std::size_t reserved = 0;  // what it takes
    int device = 0;            // -1: pinned host memory
    std::uint64_t number = 0;  // in the order of allocation
    bool live = true;
    bool registered = false;   // host memory of the client's own
    std::uintptr_t end() const { return begin + size; }
};

// Throws Refusal when the device has not enough left. `rounding` 32 adds the 32 bytes that aclrtMalloc adds.
void* allocate_device(int device, std::size_t size, bool padded);
void free_device(void* address, const char* pair);  // reports double frees and foreign addresses
void* allocate_host(std::size_t size);
void free_host(void* address);
void register_host(void* address, std::size_t size);
void unregister_host(void* address);

// The block that holds the address, live or freed and not used again since.
std::optional<Block> find_block(const void* address);
bool is_device_address(const void* address);  // in a device's range, allocated or not
// Where the simulator reads and writes what the client knows as `address`; null outside a device's range.
std::byte* alias(const void* address);

// Checks that [address, address + size) lies in one live device block; reports host pointers, freed memory, the end passed.
Block check_device_range(const void* address, std::size_t size, const char* what);
// The same for several, during which no memory is allocated or freed.
class RangeCheck {
public:
    RangeCheck();
    Block operator()(const void* address, std::size_t size, const char* what) const;

private:
    std::shared_lock<std::shared_mutex> lock_;
};

struct MemoryBooks {
    std::uint64_t used = 0, peak = 0, allocations = 0, frees = 0;
};
MemoryBooks books(int device);
std::uint64_t capacity(int device);
std::vector<Block> live_blocks(int device);
std::string describe(const Block&);

// Virtual memory: an address range without memory, and memory mapped into it.
void* reserve_range(int device, std::size_t size);
void release_range(void* address);
void map_block(void* address, std::size_t size, int device);
void unmap_block(void* address);
void take_capacity(int device, std::size_t size);  // of memory that has no address yet
void give_capacity(int device, std::size_t size);

// The handler that tells a touch of device memory by the host from any other bad access.
void install_fault_handler();

}  // namespace cannsim
