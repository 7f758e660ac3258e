// Buffers take their memory late, arrays are laid out as NumPy lays them out.
#include "runtime/array.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>

#include "base/error.hpp"
#include "runtime/mirror.hpp"

namespace asnumpy {

void DropMirror::operator()(Mirror* mirror) const { delete mirror; }

Buffer::Buffer(Pool& pool, void* data, std::size_t bytes, std::function<void()> release)
    : pool_(pool), data_(data), bytes_(bytes), release_(std::move(release)) {
    if (const Trace* const now = current_trace()) [[unlikely]] trace = trace_number(*now);
}

Buffer::~Buffer() {
    if (release_) release_();
    else drop_memory();
}

void Buffer::drop_memory() {
    if (materialised() && data() != reinterpret_cast<char*>(within_.data())) pool_.deallocate(data(), bytes_, stream_);
    data_.store(nullptr, std::memory_order_release);
}

namespace {

// Buffers come and go with every operation: each thread keeps some of the freed ones.
struct FreedBuffers {
    std::array<void*, 64> list{};
    std::size_t count = 0;
    ~FreedBuffers() {
        while (count > 0) ::operator delete(list[--count], std::align_val_t{alignof(Buffer)});
        count = list.size() + 1;  // the thread ends: buffers that die later take the common way
    }
};
thread_local FreedBuffers freed;

}  // namespace

void* Buffer::operator new(std::size_t size) {
    if (freed.count > 0 && freed.count <= freed.list.size()) return freed.list[--freed.count];
    return ::operator new(size, std::align_val_t{alignof(Buffer)});
}

void Buffer::operator delete(void* memory) noexcept {
    if (freed.count < freed.list.size()) freed.list[freed.count++] = memory;
    else ::operator delete(memory, std::align_val_t{alignof(Buffer)});
}

void Buffer::refuse_donated() {
    throw RuntimeFailure("the array was donated to a function under jit, which took its memory: use what the function gave back, or do not donate it");
}

void Buffer::materialise() {
    if (materialised()) return;
    expect_there();
    if (bytes_ <= tiny && pool_.host_visible()) {
        data_.store(within_.data(), std::memory_order_release);
        return;
    }
    const StreamId stream = pool_.host_visible() ? StreamId{0} : current_stream(pool_.number());
    void* fresh = pool_.allocate(bytes_, stream);
    void* none = nullptr;  // another thread may have been quicker
    if (data_.compare_exchange_strong(none, fresh, std::memory_order_acq_rel)) stream_ = stream;
    else pool_.deallocate(fresh, bytes_, stream);
}

namespace {

[[noreturn]] void refuse_shape(const Dims& shape) {
    if (std::ranges::any_of(shape, [](std::int64_t length) { return length < 0; })) throw ValueError("negative dimensions are not allowed");
    throw ValueError("array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.");
}

void expect_room(std::uint64_t bytes, const Dims& shape, DType dtype, const Pool& pool) {
    const std::uint64_t limit = pool.limit(), most = limit ? limit : pool.total_memory();
    if (bytes > most) [[unlikely]]
        throw MemoryError("Unable to allocate " + std::to_string(bytes) + " bytes for an array with shape " + to_string(shape) +
                          " and data type " + std::string(name(dtype)) + ": device " + pool.backend().name() + " can hold at most " +
                          std::to_string(most) + " bytes");
}

}  // namespace

Array new_array(const Dims& shape, DType dtype, Pool& pool) {
    if (shape.size() > max_ndim)
        throw ValueError("maximum supported dimension for an ndarray is currently 64, found " + std::to_string(shape.size()));
    // In one pass, and where the array will lie: every small operation makes one, and a processor waits for what was written in pieces
    // and is read as a whole.
    Array made{{}, {0, shape, shape}, dtype};
    Dims& strides = made.view.strides;
    std::int64_t bytes = item_bytes(dtype);
    bool empty = false;
    for (int axis = shape.size(); axis-- > 0;) {
        const std::int64_t length = shape[axis];
        strides[axis] = bytes;
        empty = empty || length == 0;
        if (length < 0 || (length > 0 && __builtin_mul_overflow(bytes, length, &bytes))) refuse_shape(shape);
    }
    if (empty) {
        bytes = 0;
        strides = Dims(shape.size());  // as NumPy's
    }
    expect_room(static_cast<std::uint64_t>(bytes), shape, dtype, pool);
    made.buffer = BufferPtr(new Buffer(pool, static_cast<std::size_t>(bytes)));
    return made;
}

Array new_array_like(const View& like, DType dtype, Pool& pool) {
    Array array = new_array(like.shape, dtype, pool);
    if (array.buffer->bytes() == 0) return array;
    std::array<int, max_ndim> order{};
    const int n = like.ndim();
    std::iota(order.begin(), order.begin() + n, 0);
    // Insertion keeps C order among axes that do not say (length 1, broadcast).
    for (int i = 1; i < n; ++i) {
        for (int j = i; j > 0; --j) {
            int& outer = order[static_cast<std::size_t>(j - 1)];
            int& inner = order[static_cast<std::size_t>(j)];
            const std::int64_t so = std::abs(like.strides[outer]), si = std::abs(like.strides[inner]);
            if (so == 0 || si == 0 || like.shape[outer] == 1 || like.shape[inner] == 1 || so >= si) break;
            std::swap(outer, inner);
        }
    }
    std::int64_t stride = static_cast<std::int64_t>(itemsize(dtype));
    for (int i = n - 1; i >= 0; --i) {
        const int axis = order[static_cast<std::size_t>(i)];
        array.view.strides[axis] = stride;
        stride *= std::max<std::int64_t>(like.shape[axis], 1);
    }
    return array;
}

Array foreign_array(void* data, std::size_t bytes, View view, DType dtype, Pool& pool, std::function<void()> release) {
    Array array;
    view.offset = -extent(View{0, view.shape, view.strides}, 0).low;
    array.buffer = BufferPtr(new Buffer(pool, data, bytes, std::move(release)));
    array.view = std::move(view);
    array.dtype = dtype;
    return array;
}

bool may_overlap(const Array& a, const Array& b) {
    View view = b.view;
    if (a.buffer != b.buffer) {
        if (!a.buffer->foreign() || !b.buffer->foreign()) return false;
        view.offset = b.data() - a.buffer->data();  // two owners may name the same foreign memory
    }
    return may_overlap(a.view, static_cast<std::int64_t>(itemsize(a.dtype)), view, static_cast<std::int64_t>(itemsize(b.dtype)));
}

}  // namespace asnumpy
