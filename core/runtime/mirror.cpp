// When a buffer comes to the host, and how what was written there returns.
#include "runtime/mirror.hpp"

#include <algorithm>

#include "device/trace.hpp"
#include "runtime/queue.hpp"

namespace asnumpy {

namespace {

// So many elements cost about as much one by one as the copy: each is a launch, and the bytes that go by in its time.
std::uint32_t most_alone(const Buffer& b) {
    constexpr std::uint32_t least = 32;  // fewer are no loop
    constexpr std::size_t bytes_in_that_time = std::size_t{64} << 10;
    return least + static_cast<std::uint32_t>(std::min(b.bytes() / bytes_in_that_time, std::size_t{1} << 30));
}

// Others may write to the memory, and nobody would know.
bool is_shared(const Buffer& b) { return b.foreign() || b.given_away || b.exports.load(std::memory_order_relaxed) > 0; }

}  // namespace

char* host_bytes(const Array& whole, const std::function<bool()>& announce) {
    Buffer& b = *whole.buffer;
    if (is_shared(b)) return nullptr;
    if (b.mirror) return b.mirror->bytes.get();
    if (++b.elements_alone < most_alone(b)) return nullptr;
    if (!announce()) return nullptr;
    const std::uint32_t version = b.writes.load(std::memory_order_relaxed);  // before the wait, in which another thread may record more
    make_ready(whole, Access::read);
    std::unique_ptr<Mirror, DropMirror> made(new Mirror);
    made->bytes = std::make_unique_for_overwrite<char[]>(b.bytes());
    without_lock([&] {
        trace::Span span("download", "copy", b.bytes());
        b.pool().backend().download(made->bytes.get(), b.data(), b.bytes());
    });
    if (b.mirror) return b.mirror->bytes.get();  // another thread was quicker
    if (b.writes.load(std::memory_order_relaxed) != version || is_shared(b)) return nullptr;
    b.mirror = std::move(made);
    return b.mirror->bytes.get();
}

void take_back(Buffer& b, bool written) {
    if (!b.mirror) return;
    if (b.mirror->changed) {
        while (b.mirror && b.pending_reads > 0) flush(&b);  // they were recorded before, and see what was there before
        if (!b.mirror) return;
        trace::Span span("upload", "copy", b.bytes());
        b.pool().backend().upload(b.data(), b.mirror->bytes.get(), b.bytes());
        b.mirror->changed = false;
    }
    if (written) b.mirror.reset();
}

}  // namespace asnumpy
