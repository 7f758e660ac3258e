// The ring of pinned chunks, and copies of any size cut to its pieces.
#include "ascend/memory/staging.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>

#include "ascend/library/cann.hpp"
#include "ascend/library/context.hpp"
#include "ascend/library/options.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::size_t alignment = 64;

}  // namespace

// The ring moves on: an event on each stream says when its copies have run.
void Staging::leave(Chunk& chunk) {
    while (!chunk.streams.empty()) {
        const auto free = std::ranges::find(chunk.events, false, &std::pair<void*, bool>::second);
        auto& [event, busy] = free != chunk.events.end() ? *free : chunk.events.emplace_back(device_.streams.make_event(), false);
        device_.check(cann().aclrtRecordEvent(event, device_.streams.handle(chunk.streams.back())), "aclrtRecordEvent");
        busy = true;
        chunk.streams.pop_back();
    }
}

void Staging::enter(Chunk& chunk) {
    for (auto& [event, busy] : chunk.events) {
        if (!busy) continue;
        device_.check(synchronize_event(event), "aclrtSynchronizeEvent");
        busy = false;
    }
}

char* Staging::take(std::size_t bytes) {
    const std::size_t room = (bytes + alignment - 1) / alignment * alignment;
    if (chunks_[current_].data && used_ + room > chunk_bytes) {
        leave(chunks_[current_]);
        current_ = (current_ + 1) % chunks_.size();
        used_ = 0;
    }
    Chunk& chunk = chunks_[current_];
    enter(chunk);
    if (!chunk.data) {
        void* memory = nullptr;
        device_.check(cann().aclrtMallocHost(&memory, chunk_bytes), "aclrtMallocHost");
        chunk.data = static_cast<char*>(memory);
    }
    const StreamId stream = device_.streams.selected();
    if (std::ranges::find(chunk.streams, stream) == chunk.streams.end()) chunk.streams.push_back(stream);
    char* const piece = chunk.data + used_;
    used_ += room;
    return piece;
}

void Staging::upload(void* to, const void* host, std::size_t bytes) {
    const Cann& c = cann();
    const std::array uses{Use{to, bytes, true}};
    device_.streams.before(uses);
    device_.damage.overwrite(device_.streams.selected(), "a copy from the host", uses, [&] {
        for (std::size_t at = 0; at < bytes; at += chunk_bytes) {
            const std::size_t size = std::min(chunk_bytes, bytes - at);
            char* const piece = take(size);
            std::memcpy(piece, static_cast<const char*>(host) + at, size);
            device_.check(c.aclrtMemcpyAsync(static_cast<char*>(to) + at, size, piece, size, cann::ACL_MEMCPY_HOST_TO_DEVICE, device_.stream), "aclrtMemcpyAsync");
        }
    });
}

void Staging::download(void* host, const void* from, std::size_t bytes) {
    const Cann& c = cann();
    device_.streams.before({{from, bytes, false}});
    const auto fetch = [&](std::size_t at, std::size_t size) {
        char* const piece = take(size);
        device_.check(c.aclrtMemcpyAsync(piece, size, static_cast<const char*>(from) + at, size, cann::ACL_MEMCPY_DEVICE_TO_HOST, device_.stream), "aclrtMemcpyAsync");
        return piece;
    };
    const auto size_at = [&](std::size_t at) { return std::min(chunk_bytes, bytes - at); };
    if (bytes <= chunk_bytes) {
        const char* const piece = fetch(0, bytes);
        device_.await(device_.streams.selected());
        std::memcpy(host, piece, bytes);
        return;
    }
    // While the host takes one piece out, the device brings the next.
    std::array<const char*, 2> pieces{};
    for (std::size_t at = 0, n = 0; at < bytes + chunk_bytes; at += chunk_bytes, ++n) {
        if (at < bytes) {
            void*& event = arrived_[n % 2];
            if (!event) event = device_.streams.make_event();
            pieces[n % 2] = fetch(at, size_at(at));
            device_.check(c.aclrtRecordEvent(event, device_.stream), "aclrtRecordEvent");
        }
        if (n == 0) continue;
        const std::size_t before = at - chunk_bytes;
        if (at < bytes) device_.check(synchronize_event(arrived_[(n - 1) % 2]), "aclrtSynchronizeEvent");
        else device_.await(device_.streams.selected());  // says what failed on the way
        std::memcpy(static_cast<char*>(host) + before, pieces[(n - 1) % 2], size_at(before));
    }
}

void Staging::release() noexcept {
    for (Chunk& chunk : chunks_) {
        if (chunk.data) cann().aclrtFreeHost(chunk.data);
        chunk = {};
    }
    arrived_ = {};  // the streams give all events back
    current_ = used_ = 0;
}

}  // namespace asnumpy::ascend
