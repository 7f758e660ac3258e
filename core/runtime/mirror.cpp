// When a buffer comes to the host, and how what was written there returns.
#include "runtime/mirror.hpp"

#include <algorithm>
#include <cstring>

#include "device/trace.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

std::unique_lock<std::mutex> lock_mirrors() { return std::unique_lock(queue().mirrors); }

// So many elements cost about as much one by one as the copy: each is a launch, and the bytes that go by in its time.
std::uint32_t most_alone(const Buffer& b) {
    constexpr std::uint32_t least = 32;  // fewer are no loop
    constexpr std::size_t bytes_in_that_time = std::size_t{64} << 10;
    return least + static_cast<std::uint32_t>(std::min(b.bytes() / bytes_in_that_time, std::size_t{1} << 30));
}

// Others may write to the device's memory, and nobody would know.
bool is_shared(const Buffer& b) { return b.foreign() || b.given_away; }

MirrorPlace::Held new_mirror(const Buffer& of, bool changed) {
    MirrorPlace::Held made(new Mirror{BufferPtr(new Buffer(cpu_pool(), of.bytes())), changed});
    made->host->materialise();
    return made;
}

void download(const Buffer& b, Buffer& to) {
    without_lock([&] {
        trace::Span span("download", "copy", b.bytes());
        b.pool().backend().download(to.data(), b.data(), b.bytes());
    });
}

// False: another thread wrote meanwhile, or is about to.
bool mirrored(const Array& whole) {
    Buffer& b = *whole.buffer;
    if (b.mirror) return true;
    const std::uint32_t version = b.writes.load(std::memory_order_acquire);  // before the wait, in which another thread may record more
    make_ready(whole, Access::read);
    MirrorPlace::Held made = new_mirror(b, false);
    download(b, *made->host);
    const auto lock = lock_mirrors();
    if (b.mirror) return true;  // another thread was quicker
    if (b.writes.load(std::memory_order_relaxed) != version || b.pending_writes > 0 || b.written_by_runs > 0 || is_shared(b)) return false;
    b.mirror.keep(std::move(made));
    return true;
}

// use(mirror) under the lock; false where there is none.
template <class F> bool with_mirror(const Buffer& b, F&& use) {
    if (!b.mirror) return false;
    const auto lock = lock_mirrors();
    if (!b.mirror) return false;
    use(*b.mirror);
    return true;
}

Array on_host(const Array& a, const Mirror& mirror) { return {mirror.host, a.view, a.dtype}; }

// By who has the lock. False: what was recorded before has to read first what was there.
bool hand_back(Buffer& b, bool written) {
    if (!b.mirror) return true;
    Mirror& mirror = *b.mirror;
    if (mirror.changed || mirror.writers > 0) {
        if (b.pending_reads > 0) return false;
        b.materialise();
        trace::Span span("upload", "copy", b.bytes());
        b.pool().backend().upload(b.data(), mirror.host->data(), b.bytes());
        mirror.changed = false;
    }
    if (!written) return true;
    if (mirror.writers > 0) mirror.behind = true;
    else b.mirror.drop();
    return true;
}

void run_readers(const Buffer& b) {
    flush(&b);
    if (b.pending_reads > 0) flush();  // what reads it has failed, and says why
}

}  // namespace

bool keep_on_host(const Array& whole, const std::function<bool()>& announce) {
    Buffer& b = *whole.buffer;
    return b.mirror || (!is_shared(b) && ++b.elements_alone >= most_alone(b) && announce() && mirrored(whole));
}

bool read_element(const Array& whole, std::int64_t offset, void* to) {
    return with_mirror(*whole.buffer, [&](const Mirror& m) { std::memcpy(to, m.host->data() + offset, itemsize(whole.dtype)); });
}

bool write_element(const Array& whole, std::int64_t offset, const void* from) {
    return with_mirror(*whole.buffer, [&](Mirror& m) {
        std::memcpy(m.host->data() + offset, from, itemsize(whole.dtype));
        m.changed = true;
    });
}

std::optional<Array> as_mirrored(const Array& a) {
    std::optional<Array> here;
    with_mirror(*a.buffer, [&](const Mirror& mirror) { here = on_host(a, mirror); });
    return here;
}

bool run_on_mirrors(const Instruction& instruction, std::int64_t size) {
    if (size > eager_size()) return false;
    bool any = false;
    each_buffer(instruction, [&](const Buffer& b, bool) { any = any || b.mirror; });
    if (!any) return false;
    if (instruction.work == Work::structured && !cpu_pool().backend().computes(structured_call(instruction))) return false;
    const auto lock = lock_mirrors();
    any = false;
    bool all = true;
    each_buffer(instruction, [&](const Buffer& b, bool written) {
        const bool fresh = written && !b.materialised() && !b.pending_writes && b.written_by_runs == 0 && b.bytes() <= static_cast<std::uint64_t>(size) * 16;
        any = any || b.mirror;
        all = all && (b.mirror || fresh);
    });
    if (!any || !all) return false;
    Instruction here = instruction;
    for (Argument& in : here.in)
        if (Array* const a = in.array()) *a = on_host(*a, *a->buffer->mirror);
    for (Array& out : here.out) {
        Buffer& b = *out.buffer;
        if (!b.mirror) b.mirror.keep(new_mirror(b, true));
        b.mirror->changed = true;
        out = on_host(out, *b.mirror);
    }
    run_now(here);
    return true;
}

std::unique_lock<std::mutex> take_back(Buffer& b, bool written) {
    for (;; run_readers(b))
        if (std::unique_lock lock = lock_mirrors(); hand_back(b, written)) return lock;
}

std::unique_lock<std::mutex> take_back(const Instruction& instruction) {
    for (;;) {
        std::unique_lock lock = lock_mirrors();
        const Buffer* read = nullptr;
        each_buffer(instruction, [&](Buffer& b, bool written) {
            if (!read && !hand_back(b, written)) read = &b;
        });
        if (!read) return lock;
        lock.unlock();
        run_readers(*read);
    }
}

void TakenForRun::add(Buffer& b, bool written) {
    if (b.host_visible()) return;
    if (written) written_.reserve(written_.size() + 1);
    const auto lock = take_back(b, written);
    if (!written) return;
    ++b.written_by_runs;
    written_.emplace_back(&b);
}

void TakenForRun::bring_up() const {
    for (const BufferPtr& b : written_) {
        b->elements_alone = 0;
        asnumpy::bring_up(*b);
    }
}

TakenForRun::~TakenForRun() {
    if (written_.empty()) return;
    const auto lock = lock_mirrors();
    for (const BufferPtr& b : written_) {
        --b->written_by_runs;
        b->writes.fetch_add(1, std::memory_order_release);  // what was copied meanwhile may be older
    }
}

std::optional<Array> begin_writing(const Array& array) {
    Buffer& b = *array.buffer;
    std::optional<Array> here;
    while (!here && !is_shared(b)) {
        if (!mirrored(array)) continue;
        with_mirror(b, [&](Mirror& mirror) {
            ++mirror.writers;
            here = on_host(array, mirror);
        });
    }
    return here;
}

void end_writing(const Array& given_for, const Array& given) noexcept {
    with_mirror(*given_for.buffer, [&](Mirror& mirror) {
        if (!(mirror.host == given.buffer)) return;  // its address was given away since
        mirror.changed = true;
        --mirror.writers;
    });
}

void bring_up(Buffer& b) {
    BufferPtr host;
    with_mirror(b, [&](Mirror& mirror) {
        if (std::exchange(mirror.behind, false)) host = mirror.host;
    });
    if (host) download(b, *host);
}

void drop_mirror(Buffer& b) {
    const auto lock = lock_mirrors();
    b.mirror.drop();
}

}  // namespace asnumpy
