// Gather, scatter and splat, one loop per element size and shape of the innermost axes.
#include "cpu/transfer.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/copy_bytes.hpp"
#include "base/itemsize.hpp"
#include "cpu/structured_kernels.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t shortest_apart = 16;  // elements, for which vectors are worth a call

// `lines` runs of `length` elements; what the two innermost axes of an operand amount to.
struct Block {
    char* data;
    std::int64_t lines, line_stride, length, stride;
};

// Calls body(block) for the blocks that n elements from position `flat` consist of.
template <class Body> void for_blocks(const Strided& view, std::int64_t flat, std::int64_t n, Body body) {
    const Axis inner = view.inner();
    if (view.ndim == 1) {
        body(Block{view.data + flat * inner.stride, 1, 0, n, inner.stride});
        return;
    }
    const int outer_ndim = view.ndim - 1;
    std::int64_t index[max_ndim];  // of the outer axes
    std::int64_t column = flat % inner.length, rest = flat / inner.length;
    char* line = view.data;
    for (int i = outer_ndim - 1; i >= 0; --i) {
        const Axis& axis = view.axes[i];
        index[i] = i ? rest % axis.length : rest;
        rest = i ? rest / axis.length : 0;
        line += index[i] * axis.stride;
    }
    const Axis second = view.axes[outer_ndim - 1];
    const auto advance = [&](std::int64_t lines) {
        index[outer_ndim - 1] += lines;
        line += lines * second.stride;
        for (int i = outer_ndim - 1; i > 0 && index[i] == view.axes[i].length; --i) {
            line += view.axes[i - 1].stride - index[i] * view.axes[i].stride;
            index[i] = 0;
            ++index[i - 1];
        }
    };
    if (column != 0 || n < inner.length) {
        const std::int64_t length = std::min(n, inner.length - column);
        body(Block{line + column * inner.stride, 1, 0, length, inner.stride});
        n -= length;
        if (n > 0) advance(1);
    }
    while (n >= inner.length) {
        const std::int64_t lines = std::min(n / inner.length, second.length - index[outer_ndim - 1]);
        body(Block{line, lines, second.stride, inner.length, inner.stride});
        n -= lines * inner.length;
        if (n > 0) advance(lines);
    }
    if (n > 0) body(Block{line, 1, 0, n, inner.stride});
}

template <std::size_t size> inline void move(char* to, const char* from) { std::memcpy(to, from, size); }

template <std::size_t size> void splat_run(char* to, const char* element, std::int64_t n) {
    std::int64_t bytes = n * static_cast<std::int64_t>(size);
    if (bytes < 64) {
        for (std::int64_t i = 0; i < n; ++i) move<size>(to + i * static_cast<std::int64_t>(size), element);
        return;
    }
    char line[64];
    for (std::size_t i = 0; i < 64; i += size) move<size>(line + i, element);
    char* const last = to + bytes - 64;  // the last store may overlap the one before it
    for (; to < last; to += 64) std::memcpy(to, line, 64);
    // `last` lies a whole number of elements from the start, so the pattern is in phase.
    std::memcpy(last, line, 64);
}

// Runs so short that a loop over them would cost more than its body have their length as a constant.
template <std::size_t size, std::int64_t length> void short_runs(char* to, std::int64_t to_line, std::int64_t to_stride, const char* from,
                                                                std::int64_t from_line, std::int64_t from_stride, std::int64_t lines) {
    for (std::int64_t i = 0; i < lines; ++i, to += to_line, from += from_line)
        for (std::int64_t j = 0; j < length; ++j) move<size>(to + j * to_stride, from + j * from_stride);
}

// What gathers such lines as vectors; null where nothing does.
template <std::size_t size> GatherApart gather_of(std::int64_t to_stride, std::int64_t from_stride, std::int64_t length) {
    constexpr auto itemsize = static_cast<std::int64_t>(size);
    if (size > 8 || to_stride != itemsize || from_stride % itemsize != 0 || length < shortest_apart) return nullptr;
    const auto gap = std::ranges::find(gaps, from_stride / itemsize);
    if (gap == gaps.end()) return nullptr;
    return structured_kernels().gather[static_cast<std::size_t>(std::countr_zero(size))][static_cast<std::size_t>(gap - gaps.begin())];
}

// Between two rectangles of elements with any strides.
template <std::size_t size> void rectangle(char* to, std::int64_t to_line, std::int64_t to_stride, const char* from, std::int64_t from_line,
                                           std::int64_t from_stride, std::int64_t lines, std::int64_t length) {
    constexpr auto itemsize = static_cast<std::int64_t>(size);
    const bool runs = to_stride == itemsize && from_stride == itemsize;
    if (length <= 4 && lines > 1) {
        switch (length) {
        case 1: return short_runs<size, 1>(to, to_line, to_stride, from, from_line, from_stride, lines);
        case 2: return short_runs<size, 2>(to, to_line, to_stride, from, from_line, from_stride, lines);
        case 3: return short_runs<size, 3>(to, to_line, to_stride, from, from_line, from_stride, lines);
        case 4: return short_runs<size, 4>(to, to_line, to_stride, from, from_line, from_stride, lines);
        default: break;
        }
    }
    if (runs) {
        const auto bytes = static_cast<std::size_t>(length) * size;
        for (std::int64_t i = 0; i < lines; ++i) copy_bytes(to + i * to_line, from + i * from_line, bytes);
        return;
    }
    if (const GatherApart apart = gather_of<size>(to_stride, from_stride, length)) {
        for (std::int64_t i = 0; i < lines; ++i) apart(to + i * to_line, from + i * from_line, length);
        return;
    }
    // Along the shorter strides first: one of the two sides is a slot of the tile, which is in cache, the other memory.
    const std::int64_t foreign_line = to_stride == itemsize ? from_line : to_line, foreign_stride = to_stride == itemsize ? from_stride : to_stride;
    if (lines > 4 && std::abs(foreign_line) < std::abs(foreign_stride)) {
        std::swap(to_line, to_stride);
        std::swap(from_line, from_stride);
        std::swap(lines, length);
    }
    for (std::int64_t i = 0; i < lines; ++i) {
        char* t = to + i * to_line;
        const char* f = from + i * from_line;
        std::int64_t k = 0;
        for (; k + 4 <= length; k += 4, t += 4 * to_stride, f += 4 * from_stride) {
            move<size>(t, f);
            move<size>(t + to_stride, f + from_stride);
            move<size>(t + 2 * to_stride, f + 2 * from_stride);
            move<size>(t + 3 * to_stride, f + 3 * from_stride);
        }
        for (; k < length; ++k, t += to_stride, f += from_stride) move<size>(t, f);
    }
}

template <std::size_t size> void gather_items(char* to, const Strided& from, std::int64_t flat, std::int64_t n) {
    constexpr auto itemsize = static_cast<std::int64_t>(size);
    for_blocks(from, flat, n, [&](const Block& b) {
        if (b.stride == 0 && b.length > 4)
            for (std::int64_t i = 0; i < b.lines; ++i)
                splat_run<size>(to + i * b.length * itemsize, b.data + i * b.line_stride, b.length);
        else
            rectangle<size>(to, b.length * itemsize, itemsize, b.data, b.line_stride, b.stride, b.lines, b.length);
        to += b.lines * b.length * itemsize;
    });
}

template <std::size_t size> void scatter_items(const Strided& to, std::int64_t flat, const char* from, std::int64_t n) {
    constexpr auto itemsize = static_cast<std::int64_t>(size);
    for_blocks(to, flat, n, [&](const Block& b) {
        rectangle<size>(b.data, b.line_stride, b.stride, from, b.length * itemsize, itemsize, b.lines, b.length);
        from += b.lines * b.length * itemsize;
    });
}

// Elements that would lie side by side, from an address on, of a copy that is not made.
void gather_turned_run(char* to, const Strided& from, const char* at, std::int64_t bytes) {
    while (bytes > 0) {
        const Turned::Stretch stretch = from.turned->at(at - from.data + from.before);
        const std::int64_t run = std::min(bytes, stretch.length);
        copy_bytes(to, at + stretch.shift, static_cast<std::size_t>(run));
        to += run;
        at += run;
        bytes -= run;
    }
}

// Those that would lie so many bytes apart.
void gather_turned_line(char* to, const Strided& from, const char* at, std::int64_t stride, std::int64_t n) {
    if (stride == from.itemsize) return gather_turned_run(to, from, at, n * from.itemsize);
    for (std::int64_t k = 0; k < n; ++k, to += from.itemsize, at += stride) {
        copy_bytes(to, at + from.turned->at(at - from.data + from.before).shift, static_cast<std::size_t>(from.itemsize));
    }
}

}  // namespace

char* reach_turned(char* to, const Strided& from, std::int64_t flat, std::int64_t n) {
    char* const first = from.at(flat);
    const Turned::Stretch stretch = from.turned->at(first - from.data + from.before);
    if (stretch.length >= n * from.itemsize) return first + stretch.shift;
    gather_turned_run(to, from, first, n * from.itemsize);
    return to;
}

void gather(char* to, const Strided& from, std::int64_t flat, std::int64_t n) {
    if (from.turned) {
        for_blocks(from, flat, n, [&](const Block& b) {
            for (std::int64_t i = 0; i < b.lines; ++i, to += b.length * from.itemsize)
                gather_turned_line(to, from, b.data + i * b.line_stride, b.stride, b.length);
        });
        return;
    }
    with_itemsize(from.itemsize, [&]<std::size_t size>() { gather_items<size>(to, from, flat, n); });
}

void scatter(const Strided& to, std::int64_t flat, const char* from, std::int64_t n) {
    with_itemsize(to.itemsize, [&]<std::size_t size>() { scatter_items<size>(to, flat, from, n); });
}

void splat(char* to, const char* element, std::int64_t itemsize, std::int64_t n) {
    with_itemsize(itemsize, [&]<std::size_t size>() { splat_run<size>(to, element, n); });
}

void move_line(char* to, std::int64_t to_stride, const char* from, std::int64_t from_stride, std::int64_t itemsize, std::int64_t n) {
    with_itemsize(itemsize, [&]<std::size_t size>() {
        if (from_stride == 0 && to_stride == itemsize) splat_run<size>(to, from, n);
        else rectangle<size>(to, 0, to_stride, from, 0, from_stride, 1, n);
    });
}

}  // namespace asnumpy::cpu
