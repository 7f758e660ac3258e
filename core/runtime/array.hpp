// Buffers and arrays: what the queue records and what ap.ndarray wraps.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "base/dtype.hpp"
#include "base/view.hpp"
#include "runtime/devices.hpp"

namespace asnumpy {

class Trace;
namespace detail {
inline std::atomic<int> traces_under_way{0};
Trace* trace_of_thread();
}  // namespace detail
// What the calling thread records into instead of running it (runtime/tracing.hpp); null: nothing.
inline Trace* current_trace() {
    return detail::traces_under_way.load(std::memory_order_relaxed) ? detail::trace_of_thread() : nullptr;
}
std::uint64_t trace_number(const Trace&);

struct Mirror;
struct DropMirror {
    void operator()(Mirror*) const;
};

// Where a buffer has its mirror (mirror.hpp). Whether it has one anybody may ask; all else is for who has the queue's lock of mirrors.
class MirrorPlace {
public:
    using Held = std::unique_ptr<Mirror, DropMirror>;
    explicit operator bool() const { return there_.load(std::memory_order_acquire); }
    Mirror& operator*() const { return *held_; }
    Mirror* operator->() const { return held_.get(); }
    void keep(Held&& mirror) {
        held_ = std::move(mirror);
        there_.store(true, std::memory_order_release);
    }
    void drop() {
        there_.store(false, std::memory_order_relaxed);
        held_.reset();
    }

private:
    Held held_;
    std::atomic<bool> there_{false};
};

// One allocation on one device. Memory is taken when the first program that writes it runs, or by materialise().
class Buffer {
public:
    // Tiny arrays of a device whose memory the host may touch lie within their buffer object, not in the pool.
    static constexpr std::size_t tiny = 128;

    Buffer(Pool& pool, std::size_t bytes) : pool_(pool), bytes_(bytes) {
        if (const Trace* const now = current_trace()) [[unlikely]] trace = trace_number(*now);
    }
    // Memory that somebody else owns (a NumPy array, a DLPack tensor): `release` gives it back.
    Buffer(Pool& pool, void* data, std::size_t bytes, std::function<void()> release);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    static void* operator new(std::size_t);  // from a list of freed ones
    static void operator delete(void*) noexcept;

    std::size_t bytes() const { return bytes_; }
    char* data() const { return static_cast<char*>(data_.load(std::memory_order_acquire)); }  // nullptr until materialised
    bool materialised() const { return data() != nullptr; }
    void materialise();  // MemoryError
    Pool& pool() const { return pool_; }
    bool host_visible() const { return pool_.host_visible(); }
    bool foreign() const { return static_cast<bool>(release_); }

    // Written under the queue's lock, read by anybody: what was recorded before (by this thread, or by one that it has heard of since) is counted.
    std::atomic<int> pending_reads{0};   // instructions recorded and not yet run that read it
    std::atomic<int> pending_writes{0};
    std::atomic<bool> put_off{false};      // all of these could have run when they were called; see outlook.hpp
    std::atomic<std::uint32_t> writes{0};  // instructions that were ever recorded and write it
    // Guarded by the lock of planning: the last flush that counted it, and its number there (see Census in fuse.hpp).
    std::uint64_t counted_by = 0;
    std::uint32_t number = 0;
    std::atomic<int> exports{0};  // aliases that the host holds (np.asarray, buffer protocol, DLPack)
    // Nothing that touches it may be deferred then.
    bool seen_by_host() const { return exports.load(std::memory_order_relaxed) > 0; }

    // Of a device's memory that the host may not touch; see mirror.hpp.
    MirrorPlace mirror;
    int written_by_runs = 0;                       // of recorded functions, under way; guarded by the queue's lock of mirrors
    std::atomic<std::uint32_t> elements_alone{0};  // asked for one by one since it was last written as a whole
    std::atomic<bool> given_away{false};           // its address, to whom may write there

    std::uint64_t trace = 0;  // during which it was made; 0: none
    bool gone = false;        // its memory was donated: whoever asks for it gets a RuntimeFailure
    void expect_there() const { if (gone) [[unlikely]] refuse_donated(); }

    // Memory for the time of one run of a recorded function, which is somebody else's; null ends it.
    void lend(char* memory) { data_.store(memory, std::memory_order_release); }
    // Gives back what materialise() took.
    void drop_memory();

    int refs() const { return refs_.load(std::memory_order_acquire); }

private:
    friend class BufferPtr;
    [[noreturn]] static void refuse_donated();
    Pool& pool_;
    std::atomic<void*> data_{nullptr};
    std::size_t bytes_;
    StreamId stream_ = 0;  // for which the memory was taken
    std::function<void()> release_;
    std::atomic<int> refs_{0};
    alignas(64) std::array<std::byte, tiny> within_;
};

// Intrusive reference.
class BufferPtr {
public:
    BufferPtr() = default;
    explicit BufferPtr(Buffer* b) : b_(b) { acquire(); }
    BufferPtr(const BufferPtr& o) : b_(o.b_) { acquire(); }
    BufferPtr(BufferPtr&& o) noexcept : b_(std::exchange(o.b_, nullptr)) {}
    BufferPtr& operator=(BufferPtr o) noexcept { std::swap(b_, o.b_); return *this; }
    ~BufferPtr() { if (b_ && b_->refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete b_; }
    Buffer* get() const { return b_; }
    Buffer* operator->() const { return b_; }
    Buffer& operator*() const { return *b_; }
    explicit operator bool() const { return b_ != nullptr; }
    bool operator==(const BufferPtr&) const = default;

    // An empty one of an object that several threads have, and that one of them fills: others look by `published`, and see what it wrote before.
    void publish(BufferPtr&& o) { std::atomic_ref(b_).store(std::exchange(o.b_, nullptr), std::memory_order_release); }
    bool published() const { return std::atomic_ref(const_cast<Buffer*&>(b_)).load(std::memory_order_acquire) != nullptr; }

private:
    void acquire() { if (b_) b_->refs_.fetch_add(1, std::memory_order_relaxed); }
    Buffer* b_ = nullptr;
};

struct Array {
    BufferPtr buffer;
    View view;
    DType dtype = DType::float64;

    const Dims& shape() const { return view.shape; }
    int ndim() const { return view.ndim(); }
    std::int64_t size() const { return view.size(); }
    std::int64_t nbytes() const { return size() * static_cast<std::int64_t>(itemsize(dtype)); }
    char* data() const { return buffer->data() + view.offset; }
    Pool& pool() const { return buffer->pool(); }
    bool host_visible() const { return buffer->host_visible(); }
};

inline std::int64_t item_bytes(DType d) { return static_cast<std::int64_t>(itemsize(d)); }
inline std::int64_t item_bytes(const Array& a) { return item_bytes(a.dtype); }

// A new C-ordered array, its memory not yet taken. ValueError for a negative or overflowing shape, MemoryError when the
// device could never hold it.
Array new_array(const Dims& shape, DType, Pool&);
// The same with axes laid out in the order of the strides of `like` (NumPy's order='K'); `like` has this shape.
Array new_array_like(const View& like, DType, Pool&);
// An array over memory of that device which somebody else owns; the lowest byte the view reaches is at `data`.
Array foreign_array(void* data, std::size_t bytes, View view, DType, Pool&, std::function<void()> release);

bool may_overlap(const Array&, const Array&);

}  // namespace asnumpy
