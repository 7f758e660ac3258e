// The ring of pinned chunks, and copies of any size cut to its pieces.
#include "ascend/staging.hpp"

#include <algorithm>
#include <cstring>

#include "ascend/cann.hpp"
#include "ascend/device_state.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::size_t alignment = 64;

void* new_event(DeviceState& device) {
    const Cann& c = cann();
    void* event = nullptr;
    constexpr auto flags = static_cast<std::uint32_t>(cann::ACL_EVENT_SYNC | cann::ACL_EVENT_CAPTURE_STREAM_PROGRESS);
    if (c.aclrtCreateEventExWithFlag) device.check(c.aclrtCreateEventExWithFlag(&event, flags), "aclrtCreateEventExWithFlag");
    else device.check(c.aclrtCreateEventWithFlag(&event, flags), "aclrtCreateEventWithFlag");
    return event;
}

}  // namespace

char* Staging::take(std::size_t bytes) {
    const Cann& c = cann();
    const std::size_t room = (bytes + alignment - 1) / alignment * alignment;
    if (chunks_[current_].data && used_ + room > chunk_bytes) {
        Chunk& full = chunks_[current_];
        device_.check(c.aclrtRecordEvent(full.event, device_.stream), "aclrtRecordEvent");
        full.busy = true;
        current_ = (current_ + 1) % chunks_.size();
        used_ = 0;
    }
    Chunk& chunk = chunks_[current_];
    if (chunk.busy) {
        device_.check(c.aclrtSynchronizeEvent(chunk.event), "aclrtSynchronizeEvent");
        chunk.busy = false;
    }
    if (!chunk.event) chunk.event = new_event(device_);
    if (!chunk.data) {
        void* memory = nullptr;
        device_.check(c.aclrtMallocHost(&memory, chunk_bytes), "aclrtMallocHost");
        chunk.data = static_cast<char*>(memory);
    }
    char* const piece = chunk.data + used_;
    used_ += room;
    return piece;
}

void Staging::upload(void* to, const void* host, std::size_t bytes) {
    const Cann& c = cann();
    for (std::size_t at = 0; at < bytes; at += chunk_bytes) {
        const std::size_t size = std::min(chunk_bytes, bytes - at);
        char* const piece = take(size);
        std::memcpy(piece, static_cast<const char*>(host) + at, size);
        device_.check(c.aclrtMemcpyAsync(static_cast<char*>(to) + at, size, piece, size, cann::ACL_MEMCPY_HOST_TO_DEVICE, device_.stream), "aclrtMemcpyAsync");
    }
}

void Staging::download(void* host, const void* from, std::size_t bytes) {
    const Cann& c = cann();
    const auto fetch = [&](std::size_t at, std::size_t size) {
        char* const piece = take(size);
        device_.check(c.aclrtMemcpyAsync(piece, size, static_cast<const char*>(from) + at, size, cann::ACL_MEMCPY_DEVICE_TO_HOST, device_.stream), "aclrtMemcpyAsync");
        return piece;
    };
    const auto size_at = [&](std::size_t at) { return std::min(chunk_bytes, bytes - at); };
    if (bytes <= chunk_bytes) {
        const char* const piece = fetch(0, bytes);
        device_.check(c.aclrtSynchronizeStream(device_.stream), "aclrtSynchronizeStream");
        std::memcpy(host, piece, bytes);
        return;
    }
    // While the host takes one piece out, the device brings the next.
    std::array<const char*, 2> pieces{};
    for (std::size_t at = 0, n = 0; at < bytes + chunk_bytes; at += chunk_bytes, ++n) {
        if (at < bytes) {
            void*& event = arrived_[n % 2];
            if (!event) event = new_event(device_);
            pieces[n % 2] = fetch(at, size_at(at));
            device_.check(c.aclrtRecordEvent(event, device_.stream), "aclrtRecordEvent");
        }
        if (n == 0) continue;
        const std::size_t before = at - chunk_bytes;
        if (at < bytes) device_.check(c.aclrtSynchronizeEvent(arrived_[(n - 1) % 2]), "aclrtSynchronizeEvent");
        else device_.check(c.aclrtSynchronizeStream(device_.stream), "aclrtSynchronizeStream");  // says what failed on the way
        std::memcpy(static_cast<char*>(host) + before, pieces[(n - 1) % 2], size_at(before));
    }
}

void Staging::release() noexcept {
    const Cann& c = cann();
    for (Chunk& chunk : chunks_) {
        if (chunk.data) c.aclrtFreeHost(chunk.data);
        if (chunk.event) c.aclrtDestroyEvent(chunk.event);
        chunk = {};
    }
    for (void*& event : arrived_) {
        if (event) c.aclrtDestroyEvent(event);
        event = nullptr;
    }
    current_ = used_ = 0;
}

}  // namespace asnumpy::ascend
