// The cache of pinned blocks, powers of two from a page upwards.
#include "ascend/memory/pinned.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "ascend/library/cann.hpp"
#include "ascend/library/context.hpp"
#include "base/error.hpp"
#include "base/immortal.hpp"
#include "device/trace.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::size_t least_bytes = 4096, step = std::size_t{1} << 20, most_cached = std::size_t{256} << 20;

// Large blocks are rounded to whole megabytes, small ones to a power of two.
std::size_t rounded(std::size_t bytes) {
    if (bytes > step) return (bytes + step - 1) / step * step;
    return std::bit_ceil(std::max(bytes, least_bytes));
}

}  // namespace

Pinned& pinned() {
    static Immortal<Pinned> instance;
    return *instance;
}

Pinned::Blocks::iterator Pinned::find(const void* data) {
    auto* const address = static_cast<char*>(const_cast<void*>(data));
    const auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return blocks_.end();
    const auto found = std::prev(after);
    return address < found->first + found->second.bytes ? found : blocks_.end();
}

bool Pinned::rests(Block& block) noexcept {
    std::erase_if(block.copies, [](const Mark& mark) {
        std::int32_t status = cann::ACL_EVENT_RECORDED_STATUS_NOT_READY;
        if (cann().aclrtQueryEventStatus(mark.event, &status) || status != cann::ACL_EVENT_RECORDED_STATUS_COMPLETE) return false;
        mark.device->streams.give_event(mark.event);
        return true;
    });
    return block.copies.empty();
}

void* Pinned::allocate(Context& device, std::size_t bytes) {
    device.expect_usable();
    const OnDevice here(device);
    const std::size_t room = rounded(bytes);
    const std::lock_guard lock(mutex_);
    for (auto& [data, block] : blocks_) {
        if (block.alive || block.bytes != room || !rests(block)) continue;
        block.alive = true;
        block.device = &device;
        cached_ -= room;
        ++alive_;
        return data;
    }
    void* data = nullptr;
    int code = cann().aclrtMallocHost(&data, room);
    if (code) {
        free_cached_locked(device);
        code = cann().aclrtMallocHost(&data, room);
    }
    if (code)
        throw MemoryError("pinned memory of " + device.name + ": cannot allocate " + std::to_string(bytes) + " bytes: aclrtMallocHost failed with " +
                          code_text(code) + "; let go of pinned arrays, or use ordinary ones");
    try {
        blocks_.emplace(static_cast<char*>(data), Block{&device, room});
    } catch (...) {
        cann().aclrtFreeHost(data);
        throw;
    }
    ++alive_;
    trace::mark("allocate", "pinned", room);
    return data;
}

void Pinned::deallocate(void* data) noexcept {
    if (ended()) return;  // the end has taken it
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<char*>(data));
    if (found == blocks_.end()) return;
    found->second.alive = false;
    cached_ += found->second.bytes;
    --alive_;
    if (cached_ > most_cached) free_cached_locked(*found->second.device);
}

bool Pinned::holds(const void* data, std::size_t bytes) {
    if (!alive_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard lock(mutex_);
    const auto found = find(data);
    return found != blocks_.end() && found->second.alive && static_cast<const char*>(data) + bytes <= found->first + found->second.bytes;
}

void Pinned::note_copy(Context& device, const void* data) {
    void* const event = device.streams.take_event();
    if (const int code = cann().aclrtRecordEvent(event, device.stream)) {
        device.streams.give_event(event);
        try {
            device.fail("aclrtRecordEvent", code);  // with CANN's words, which the next failure would take
        } catch (...) {
            device.finish();  // then the copy has run
            throw;
        }
    }
    const std::lock_guard lock(mutex_);
    const auto found = find(data);
    if (found == blocks_.end()) return device.streams.give_event(event);
    static_cast<void>(rests(found->second));  // so that a block that is copied in a loop keeps few events
    found->second.copies.push_back({&device, event});
}

void Pinned::free_cached(Context& device) noexcept {
    if (ended()) return;
    const std::lock_guard lock(mutex_);
    free_cached_locked(device);
}

void Pinned::free_cached_locked(Context& device) noexcept try {
    const OnDevice here(device);
    for (auto it = blocks_.begin(); it != blocks_.end();) {
        if (it->second.alive || !rests(it->second) || cann().aclrtFreeHost(it->first)) {
            ++it;
            continue;
        }
        cached_ -= it->second.bytes;
        it = blocks_.erase(it);
    }
} catch (const std::exception&) {
    // The device is lost; the end of the process frees what is left.
}

void Pinned::release() noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto& [data, block] : blocks_) cann().aclrtFreeHost(data);
    blocks_.clear();
    alive_ = 0;
    cached_ = 0;
}

}  // namespace asnumpy::ascend
