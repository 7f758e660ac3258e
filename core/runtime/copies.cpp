// Copies move whole ranges of bytes; what is scattered is first gathered by a program of its own device.
#include "runtime/copies.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "device/trace.hpp"
#include "runtime/mirror.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

struct Range {
    std::int64_t low, bytes;
};

Range range_of(const Array& a) {
    const Extent reach = extent(a.view, item_bytes(a));
    return {reach.low, reach.high - reach.low};
}

// Moving the range that it spans moves no more than its elements.
bool is_close(const Array& a) { return range_of(a).bytes <= a.nbytes(); }

// An array with the same elements over the range that `from` spans, its memory taken.
Array twin(const Array& from, Pool& pool) {
    const Range range = range_of(from);
    Array made{BufferPtr(new Buffer(pool, static_cast<std::size_t>(range.bytes))), from.view, from.dtype};
    made.view.offset -= range.low;
    made.buffer->materialise();
    return made;
}

char* start(const Array& a) { return a.buffer->data() + range_of(a).low; }

// target[...] = source on their own device, at once.
void copy_on_device(const Array& source, const Array& target) {
    Launch launch;
    launch.shape = source.shape();
    launch.operands = {{source.data(), source.view.strides}, {target.data(), target.view.strides}};
    single_program(source.pool(), Work::elementwise, cast_row(), cast_loop(source.dtype, target.dtype)).run(launch);
}

Array gathered(const Array& a) {
    Array copy = new_array(a.shape(), a.dtype, a.pool());
    copy.buffer->materialise();
    copy_on_device(a, copy);
    return copy;
}

}  // namespace

Array downloaded(const Array& a) {
    if (a.host_visible()) return a;
    if (a.size() == 0) {
        Array empty = new_array(a.shape(), a.dtype, cpu_pool());
        empty.buffer->materialise();
        empty.view.strides = a.view.strides;
        return empty;
    }
    const Array source = is_close(a) ? a : gathered(a);
    return downloaded_range(source);
}

Array downloaded_range(const Array& a) {
    Array host = twin(a, cpu_pool());
    trace::Span span("download", "copy", host.buffer->bytes());
    a.pool().backend().download(host.buffer->data(), start(a), host.buffer->bytes());
    return host;
}

std::vector<Array> downloaded_together(std::span<const Array> arrays) {
    constexpr std::int64_t alignment = 64;  // of a buffer's first byte: elements are as far from it here as there
    std::vector<Array> made(arrays.begin(), arrays.end());
    std::vector<bool> done(arrays.size(), false);
    for (std::size_t first = 0; first < arrays.size(); ++first) {
        if (done[first]) continue;
        Range range = range_of(arrays[first]);
        for (const Array& other : arrays.subspan(first + 1)) {
            if (other.buffer != arrays[first].buffer) continue;
            const Range more = range_of(other);
            const std::int64_t high = std::max(range.low + range.bytes, more.low + more.bytes);
            range.low = std::min(range.low, more.low);
            range.bytes = high - range.low;
        }
        const std::int64_t low = range.low / alignment * alignment;
        const auto bytes = static_cast<std::size_t>(range.low + range.bytes - low);
        trace::Span span("download", "copy", bytes);
        const BufferPtr copy(new Buffer(cpu_pool(), bytes));
        copy->materialise();
        arrays[first].pool().backend().download(copy->data(), arrays[first].buffer->data() + low, bytes);
        for (std::size_t k = first; k < arrays.size(); ++k) {
            if (arrays[k].buffer != arrays[first].buffer) continue;
            made[k].buffer = copy;
            made[k].view.offset -= low;
            done[k] = true;
        }
    }
    return made;
}

bool lies_together(const Array& a) { return a.size() > 0 && range_of(a).bytes <= 2 * a.nbytes() + 4096; }

void upload_range(const Array& source, const Array& target) {
    trace::Span span("upload", "copy", source.buffer->bytes());
    target.pool().backend().upload(start(target), source.buffer->data(), source.buffer->bytes());
}

void upload(const Array& source, const Array& target, bool at_once) {
    if (target.size() == 0) return;
    const Range from = range_of(source), to = range_of(target);
    const bool alike = !at_once && source.view.strides == target.view.strides && from.bytes == to.bytes && is_close(target) &&
                       source.view.offset - from.low == target.view.offset - to.low;
    const Array near = alike || is_close(source) ? source : gathered(source);
    const Array landing = alike ? target : twin(near, target.pool());
    trace::Span span("upload", "copy", static_cast<std::uint64_t>(range_of(near).bytes));
    target.pool().backend().upload(start(landing), start(near), static_cast<std::size_t>(range_of(near).bytes));
    if (!alike) copy_on_device(landing, target);
}

Array to_host(const Array& a) {
    if (a.size() > 0)
        if (const std::optional<Array> here = as_mirrored(a)) return is_close(*here) ? downloaded_range(*here) : gathered(*here);
    if (a.size() > 0 || a.host_visible()) make_ready(a, Access::read);
    if (a.host_visible()) return a;
    Array host;
    without_lock([&] { host = downloaded(a); });
    return host;
}

Array moved(const Array& a, Pool& pool, bool blocking) {
    if (&a.pool() == &pool) return a;
    if (a.size() == 0) return new_array(a.shape(), a.dtype, pool);
    if (pool.host_visible()) return to_host(a);
    const Array source = is_close(a) ? a : cast(a, a.dtype);
    make_ready(source, Access::read);
    Array made;
    without_lock([&] {
        made = twin(source, pool);
        trace::Span span("move", "copy", made.buffer->bytes());
        char* const from = start(source);
        if (source.host_visible()) {
            if (blocking || !pool.backend().start_upload(made.buffer->data(), from, made.buffer->bytes()))
                pool.backend().upload(made.buffer->data(), from, made.buffer->bytes());
            return;
        }
        pool.backend().copy_from(source.pool().backend(), made.buffer->data(), from, made.buffer->bytes());
    });
    return made;
}

Scalar value_of(const Array& a) {
    std::optional<Array> host = as_mirrored(a);
    if (!host) host = to_host(a);
    Scalar value;
    value.dtype = a.dtype;
    std::memcpy(value.bytes.data(), host->data(), itemsize(a.dtype));
    return value;
}

}  // namespace asnumpy
