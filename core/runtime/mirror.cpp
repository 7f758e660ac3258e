// When a buffer comes to the host, and how what was written there returns.
#include "runtime/mirror.hpp"

#include <algorithm>

#include "device/trace.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

// So many elements cost about as much one by one as the copy: each is a launch, and the bytes that go by in its time.
std::uint32_t most_alone(const Buffer& b) {
    constexpr std::uint32_t least = 32;  // fewer are no loop
    constexpr std::size_t bytes_in_that_time = std::size_t{64} << 10;
    return least + static_cast<std::uint32_t>(std::min(b.bytes() / bytes_in_that_time, std::size_t{1} << 30));
}

// Others may write to the device's memory, and nobody would know.
bool is_shared(const Buffer& b) { return b.foreign() || b.given_away; }

std::unique_ptr<Mirror, DropMirror> new_mirror(const Buffer& of, bool changed) {
    std::unique_ptr<Mirror, DropMirror> made(new Mirror{BufferPtr(new Buffer(cpu_pool(), of.bytes())), changed});
    made->host->materialise();
    return made;
}

void download(const Buffer& b, Buffer& to) {
    without_lock([&] {
        trace::Span span("download", "copy", b.bytes());
        b.pool().backend().download(to.data(), b.data(), b.bytes());
    });
}

// False: another thread wrote meanwhile.
bool mirrored(const Array& whole) {
    Buffer& b = *whole.buffer;
    if (b.mirror) return true;
    const std::uint32_t version = b.writes.load(std::memory_order_relaxed);  // before the wait, in which another thread may record more
    make_ready(whole, Access::read);
    std::unique_ptr<Mirror, DropMirror> made = new_mirror(b, false);
    download(b, *made->host);
    if (b.mirror) return true;  // another thread was quicker
    if (b.writes.load(std::memory_order_relaxed) != version || is_shared(b)) return false;
    b.mirror = std::move(made);
    return true;
}

}  // namespace

char* host_bytes(const Array& whole, const std::function<bool()>& announce) {
    Buffer& b = *whole.buffer;
    if (!b.mirror && (is_shared(b) || ++b.elements_alone < most_alone(b) || !announce() || !mirrored(whole))) return nullptr;
    return b.mirror->host->data();
}

Array as_mirrored(const Array& a) { return {a.buffer->mirror->host, a.view, a.dtype}; }

bool run_on_mirrors(const Instruction& instruction, std::int64_t size) {
    if (size > eager_size()) return false;
    bool any = false, all = true;
    each_buffer(instruction, [&](const Buffer& b, bool written) {
        const bool fresh = written && !b.materialised() && !b.pending_writes && b.bytes() <= static_cast<std::uint64_t>(size) * 16;
        any = any || b.mirror;
        all = all && (b.mirror || fresh);
    });
    if (!any || !all || (instruction.work == Work::structured && !cpu_pool().backend().computes(structured_call(instruction)))) return false;
    Instruction here = instruction;
    for (Argument& in : here.in)
        if (Array* const a = in.array()) *a = as_mirrored(*a);
    for (Array& out : here.out) {
        Buffer& b = *out.buffer;
        if (!b.mirror) b.mirror = new_mirror(b, true);
        b.mirror->changed = true;
        out = as_mirrored(out);
    }
    run_now(here);
    return true;
}

void take_back(Buffer& b, bool written) {
    if (!b.mirror) return;
    if (b.mirror->changed || b.mirror->writers > 0) {
        while (b.mirror && b.pending_reads > 0) flush(&b);  // they were recorded before, and see what was there before
        if (!b.mirror) return;
        b.materialise();
        trace::Span span("upload", "copy", b.bytes());
        b.pool().backend().upload(b.data(), b.mirror->host->data(), b.bytes());
        b.mirror->changed = false;
    }
    if (!written) return;
    if (b.mirror->writers > 0) b.mirror->behind = true;
    else b.mirror.reset();
}

std::optional<Array> begin_writing(const Array& array) {
    Buffer& b = *array.buffer;
    while (!is_shared(b))
        if (mirrored(array)) {
            ++b.mirror->writers;
            return as_mirrored(array);
        }
    return std::nullopt;
}

void end_writing(const Array& given_for, const Array& given) noexcept {
    Mirror* const mirror = given_for.buffer->mirror.get();
    if (!mirror || !(mirror->host == given.buffer)) return;  // its address was given away since
    mirror->changed = true;
    --mirror->writers;
}

void bring_up(Buffer& b) {
    if (!b.mirror || !b.mirror->behind) return;
    const BufferPtr host = b.mirror->host;
    b.mirror->behind = false;
    download(b, *host);
}

}  // namespace asnumpy
