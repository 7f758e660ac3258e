// The allocators of device and pinned memory, and what an address means.
#include "runtime/memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "base/immortal.hpp"
#include "runtime/arena.hpp"
#include "runtime/config.hpp"
#include "runtime/hazard.hpp"
#include "runtime/memory_ranges.hpp"
#include "runtime/model.hpp"
#include "runtime/pattern.hpp"
#include "runtime/report.hpp"
#include "runtime/stream.hpp"

namespace cannsim {
namespace {

constexpr std::size_t address_alignment = 64, guard = 64;
constexpr std::size_t large = std::size_t{1} << 16;       // pages of freed blocks from here on go back to the system at once
constexpr std::size_t kept_of_large = 4096;               // of these, so many bytes at the start still show that they are freed
constexpr std::size_t most_kept = std::size_t{16} << 20;  // those of smaller ones when together they are this many bytes

struct Everything {
    std::shared_mutex mutex;
    std::array<std::unique_ptr<Arena>, 64> arenas;
    std::map<std::uintptr_t, Block> blocks;  // by their begin; freed ones stay until their addresses are used again
    std::deque<std::uintptr_t> resting;      // freed pinned blocks, the oldest first: their addresses are nobody else's yet
    std::atomic<std::uint64_t> next_number{1};
};
Everything& all() {
    static asnumpy::Immortal<Everything> instance;
    return *instance;
}

// The ranges once more, for the signal handler, which may take no lock.
std::array<DeviceRange, 64> ranges;

Arena& arena(int device) {
    auto& slot = all().arenas[static_cast<std::size_t>(device)];
    if (slot) return *slot;
    auto made = std::make_unique<Arena>(device, static_cast<std::size_t>(capacity(device)) * 2 + (std::size_t{1} << 30));
    DeviceRange& range = ranges[static_cast<std::size_t>(device)];
    range.distance = made->distance;
    range.end.store(made->begin + made->length, std::memory_order_relaxed);
    range.begin.store(made->begin, std::memory_order_release);
    slot = std::move(made);
    install_fault_handler();
    return *slot;
}

void forget_overlapping(std::map<std::uintptr_t, Block>& blocks, std::uintptr_t begin, std::size_t length) {
    auto it = blocks.lower_bound(begin);
    if (it != blocks.begin() && std::prev(it)->second.end() > begin) --it;
    while (it != blocks.end() && it->first < begin + length) it = it->second.live ? std::next(it) : blocks.erase(it);
}

const Block* covering(const std::map<std::uintptr_t, Block>& blocks, std::uintptr_t address) {
    auto it = blocks.upper_bound(address);
    if (it == blocks.begin()) return nullptr;
    --it;
    const Block& block = it->second;
    return address < block.begin + std::max<std::size_t>(block.reserved, 1) ? &block : nullptr;
}

std::uintptr_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

int device_of(std::uintptr_t address) { return device_of_range(ranges, address); }

}  // namespace

std::uint64_t capacity(int) {
    const std::uint64_t set = config().memory;
    if (set) return set;
    // What is written there takes the host's memory: a device that promised more would have the process killed.
    static const std::uint64_t host = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return std::min(chip().memory, host / 2 / static_cast<std::uint64_t>(std::max(1, config().devices.load())));
}

void* allocate_device(int device, std::size_t size, bool padded) {
    refuse_in_callback("to allocate memory");
    Everything& e = all();
    const std::size_t rounded = ((size + 31) / 32) * 32 + (padded ? 32 : 0);
    const std::size_t length = (rounded + guard + address_alignment - 1) / address_alignment * address_alignment;
    std::unique_lock lock(e.mutex);
    Arena& a = arena(device);
    const std::uint64_t total = capacity(device);
    const std::uintptr_t begin = rounded < size || a.books.used + rounded > total ? 0 : a.take(length);
    if (!begin)
        throw Refusal{ACL_ERROR_RT_MEMORY_ALLOCATION,
                      text("device ", device, " has ", total - std::min(total, a.books.used), " of ", total, " bytes left, asked for ", size)};
    forget_overlapping(e.blocks, begin, length);
    e.blocks[begin] = {begin, size, rounded, device, e.next_number++, true, false};
    a.books.used += rounded;
    a.books.peak = std::max(a.books.peak, a.books.used);
    ++a.books.allocations;
    lock.unlock();
    model_spend(chip().allocation);
    auto* const made = reinterpret_cast<void*>(begin);
    if (config().compute) fill_unwritten(alias(made), rounded);
    return made;
}

void free_device(void* address, const char* pair) {
    refuse_in_callback("to free memory");
    Everything& e = all();
    std::unique_lock lock(e.mutex);
    const auto found = e.blocks.find(number_of(address));
    if (found == e.blocks.end() || found->second.device < 0) {
        const Block* const inside = covering(e.blocks, number_of(address));
        const std::string what = inside ? text("lies inside ", describe(*inside)) : std::string("was never allocated");
        lock.unlock();
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("expected an address from ", pair, ", got ", address, ", which ", what)};
    }
    if (!found->second.live) {
        const std::string what = describe(found->second);
        lock.unlock();
        finding(Fault::double_free, text(what, " was freed before"), ACL_ERROR_INVALID_PARAM);
        return;
    }
    const Block block = found->second;
    lock.unlock();
    check_free(block);  // may throw: the memory then stays
    model_spend(chip().allocation);
    if (block.reserved < large && config().compute) fill_unwritten(alias(address), block.reserved);
    lock.lock();
    found->second.live = false;
    Arena& a = *e.arenas[static_cast<std::size_t>(block.device)];
    a.books.used -= block.reserved;
    ++a.books.frees;
    const std::size_t length = (block.reserved + guard + address_alignment - 1) / address_alignment * address_alignment;
    const auto [free_begin, free_length] = a.give(block.begin, length);
    // Addresses that rest keep no memory: a program that frees what it allocates would else use up the host's.
    if (block.reserved >= large) {  // with the pages at its ends, where the neighbours are free
        const std::uintptr_t first = std::max(free_begin, block.begin - Arena::page), last = std::min(free_begin + free_length, block.begin + length + Arena::page);
        a.drop_pages(first, last - first);
        if (config().compute) fill_unwritten(alias(address), kept_of_large);
    }
    if ((a.kept += block.reserved < large ? length : kept_of_large) > most_kept) {
        for (const auto& [begin, free] : a.free) a.drop_pages(begin, free);
        a.kept = 0;
        a.cursor = a.begin;  // small blocks have rested for long enough: what is known of each takes memory as well
    }
}

void* allocate_host(std::size_t size) {
    void* const address = std::aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (!address) throw Refusal{ACL_ERROR_BAD_ALLOC, text("the host has no ", size, " bytes left")};
    Everything& e = all();
    const std::unique_lock lock(e.mutex);
    forget_overlapping(e.blocks, number_of(address), size);
    e.blocks[number_of(address)] = {number_of(address), size, size, -1, e.next_number++, true, false};
    return address;
}

void free_host(void* address) {
    Everything& e = all();
    std::unique_lock lock(e.mutex);
    const auto found = e.blocks.find(number_of(address));
    if (found == e.blocks.end() || found->second.device >= 0 || found->second.registered) {
        lock.unlock();
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("expected an address from aclrtMallocHost, got ", address)};
    }
    if (!found->second.live) {
        const std::string what = describe(found->second);
        lock.unlock();
        finding(Fault::double_free, text(what, " was freed before"), ACL_ERROR_INVALID_PARAM);
        return;
    }
    found->second.live = false;
    // The address rests for a while, so that its use is seen; whoever gets it from the host's allocator later does nothing wrong.
    madvise(address, (found->second.size + 4095) / 4096 * 4096, MADV_DONTNEED);
    e.resting.push_back(number_of(address));
    if (e.resting.size() <= 64) return;
    void* const oldest = reinterpret_cast<void*>(e.resting.front());
    e.blocks.erase(e.resting.front());
    e.resting.pop_front();
    lock.unlock();
    std::free(oldest);
}

void register_host(void* address, std::size_t size) {
    Everything& e = all();
    const std::unique_lock lock(e.mutex);
    const auto found = e.blocks.find(number_of(address));
    if (found != e.blocks.end() && found->second.live)
        throw Refusal{ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, text(describe(found->second), " is registered already")};
    forget_overlapping(e.blocks, number_of(address), size);
    e.blocks[number_of(address)] = {number_of(address), size, size, -1, e.next_number++, true, true};
}

void unregister_host(void* address) {
    Everything& e = all();
    const std::unique_lock lock(e.mutex);
    const auto found = e.blocks.find(number_of(address));
    if (found == e.blocks.end() || !found->second.registered || !found->second.live)
        throw Refusal{ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, text("expected a registered address, got ", address)};
    e.blocks.erase(found);
}

std::optional<Block> find_block(const void* address) {
    Everything& e = all();
    const std::shared_lock lock(e.mutex);
    const Block* const block = covering(e.blocks, number_of(address));
    return block ? std::optional(*block) : std::nullopt;
}

bool is_device_address(const void* address) { return device_of(number_of(address)) >= 0; }

std::byte* alias(const void* address) {
    const int device = device_of(number_of(address));
    if (device < 0) return nullptr;
    return reinterpret_cast<std::byte*>(number_of(address)) + ranges[static_cast<std::size_t>(device)].distance;
}

std::string describe(const Block& block) {
    const char* const kind = block.device < 0 ? "pinned host memory" : "allocation";
    std::string where = block.device < 0 ? std::string() : text(" on device ", block.device);
    return text(block.live ? "" : "freed ", kind, " ", block.number, " (", block.size, " bytes at ", reinterpret_cast<const void*>(block.begin), where, ")");
}

RangeCheck::RangeCheck() : lock_(all().mutex) {}

Block RangeCheck::operator()(const void* address, std::size_t size, const char* what) const {
    const Block* const block = covering(all().blocks, number_of(address));
    if (!is_device_address(address)) {
        finding(Fault::host_pointer, text(what, ": expected device memory, got the host address ", address,
                                          block ? text(" in ", describe(*block)) : std::string()));
        return {};
    }
    if (!block) {
        finding(Fault::out_of_bounds, text(what, ": ", address, " lies in no allocation"));
        return {};
    }
    if (!block->live) {
        finding(Fault::use_after_free, text(what, ": ", address, " lies in ", describe(*block)));
        return {};
    }
    // Programs that divide a large block themselves round up to 32; what was reserved beyond the size is theirs to use.
    if (number_of(address) + size > block->begin + block->reserved) {
        finding(Fault::out_of_bounds, text(what, ": ", size, " bytes from ", address, " pass the end of ", describe(*block), " by ",
                                           number_of(address) + size - block->begin - block->reserved));
        return {};
    }
    return *block;
}

Block check_device_range(const void* address, std::size_t size, const char* what) { return RangeCheck()(address, size, what); }

MemoryBooks books(int device) {
    Everything& e = all();
    const std::shared_lock lock(e.mutex);
    const auto& a = e.arenas[static_cast<std::size_t>(device)];
    return a ? a->books : MemoryBooks{};
}

std::vector<Block> live_blocks(int device) {
    Everything& e = all();
    const std::shared_lock lock(e.mutex);
    std::vector<Block> result;
    for (const auto& [begin, block] : e.blocks)
        if (block.live && block.device == device && !block.registered) result.push_back(block);
    return result;
}

void* reserve_range(int device, std::size_t size) {
    Everything& e = all();
    const std::unique_lock lock(e.mutex);
    Arena& a = arena(device);
    constexpr std::size_t huge = std::size_t{1} << 21;
    const std::uintptr_t begin = a.take(size + huge);
    if (!begin) throw Refusal{ACL_ERROR_RT_MEMORY_ALLOCATION, text("device ", device, " has no range of ", size, " addresses left")};
    const std::uintptr_t aligned = (begin + huge - 1) / huge * huge;
    forget_overlapping(e.blocks, begin, size + huge);
    a.reserved[aligned] = {begin, size + huge};
    return reinterpret_cast<void*>(aligned);
}

void release_range(void* address) {
    Everything& e = all();
    const std::unique_lock lock(e.mutex);
    const int device = device_of(number_of(address));
    if (device >= 0) {
        Arena& a = *e.arenas[static_cast<std::size_t>(device)];
        if (const auto found = a.reserved.find(number_of(address)); found != a.reserved.end()) {
            a.give(found->second.first, found->second.second);
            a.reserved.erase(found);
            return;
        }
    }
    throw Refusal{ACL_ERROR_INVALID_PARAM, text("expected an address from aclrtReserveMemAddress, got ", address)};
}

void take_capacity(int device, std::size_t size) {
    const std::unique_lock lock(all().mutex);
    MemoryBooks& b = arena(device).books;
    if (b.used + size > capacity(device)) throw Refusal{ACL_ERROR_RT_MEMORY_ALLOCATION, text("device ", device, " has ", capacity(device) - b.used, " bytes left, asked for ", size)};
    b.used += size;
    b.peak = std::max(b.peak, b.used);
    ++b.allocations;
}
void give_capacity(int device, std::size_t size) {
    const std::unique_lock lock(all().mutex);
    MemoryBooks& b = arena(device).books;
    b.used -= size;
    ++b.frees;
}

void map_block(void* address, std::size_t size, int device) {
    Everything& e = all();
    const std::unique_lock lock(e.mutex);
    if (device_of(number_of(address)) < 0)
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("expected an address from aclrtReserveMemAddress, got ", address)};
    const Block* const there = covering(e.blocks, number_of(address));
    if (there && there->live) throw Refusal{ACL_ERROR_INVALID_PARAM, text(address, " is mapped already: ", describe(*there))};
    forget_overlapping(e.blocks, number_of(address), size);
    e.blocks[number_of(address)] = {number_of(address), size, size, device, e.next_number++, true, false};
    if (config().compute) fill_unwritten(alias(address), size);
}

void unmap_block(void* address) {
    Everything& e = all();
    std::unique_lock lock(e.mutex);
    const auto found = e.blocks.find(number_of(address));
    if (found == e.blocks.end() || !found->second.live)
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("expected a mapped address, got ", address)};
    const Block block = found->second;
    lock.unlock();
    check_free(block);
    lock.lock();
    found->second.live = false;
}

std::span<DeviceRange> device_ranges() { return ranges; }

}  // namespace cannsim
