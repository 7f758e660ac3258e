// take and scatter: the same walk, copying one way or the other. And the copy whose elements overlap each other.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "base/itemsize.hpp"
#include "cpu/index_parts.hpp"
#include "cpu/index.hpp"
#include "cpu/structured.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t bytes_per_task = 65536;

// `indexed` is addressed through the index along the axis, `listed` in order.
template <bool taking> class IndexedCopy {
public:
    IndexedCopy(const Tensor& indexed, const Tensor& listed, const Tensor& index, int axis)
        : indexed_(indexed), listed_(listed), index_(index), item_(static_cast<std::int64_t>(itemsize(indexed.dtype))),
          length_(indexed.shape[axis]), indexed_stride_(indexed.strides[axis]), listed_stride_(listed.strides[axis]), n_(index.shape[0]) {
        for (int i = 0; i < axis; ++i) outer_.add(indexed.shape[i], {indexed.strides[i], listed.strides[i]});
        for (int i = axis + 1; i < indexed.shape.size(); ++i) inner_.add(indexed.shape[i], {indexed.strides[i], listed.strides[i]});
        // The innermost axes that lie side by side in both operands are copied in one piece.
        run_ = item_;
        if (inner_.axes() > 0) {
            const auto& strides = inner_.strides(inner_.axes() - 1);
            if (strides[0] == item_ && strides[1] == item_) run_ = inner_.split_last().first * item_;
        }
    }

    void run() const {
        const std::int64_t outer = outer_.count(), inner = inner_.count();
        if (outer == 0 || inner == 0 || n_ == 0 || run_ == 0) return;
        const std::int64_t bytes_each = inner * run_;
        if (!taking && has_internal_overlap({0, indexed_.shape, indexed_.strides}, item_)) return outer_lines(0, outer);
        if constexpr (taking) {
            parallel_for(outer * n_, std::max<std::int64_t>(1, bytes_per_task / bytes_each), [&](std::int64_t begin, std::int64_t end, int) {
                while (begin < end) {
                    const std::int64_t line = begin / n_, first = begin % n_, last = std::min(n_, first + end - begin);
                    copy(line, [&](auto&& f) { each_target(first, last, f); });
                    begin += last - first;
                }
            });
        } else {
            // Equal indices must be written in order, so the work is shared by lines, else by targets.
            const std::int64_t threads = thread_count();
            const bool worth = threads > 1 && outer < 2 * threads && outer * n_ * bytes_each >= 16 * bytes_per_task;
            if (worth && std::max(n_, length_) >> 32) return by_parts(IndexParts<std::uint64_t>(index_, length_, bytes_each));
            if (worth) return by_parts(IndexParts<std::uint32_t>(index_, length_, bytes_each));
            parallel_for(outer, std::max<std::int64_t>(1, bytes_per_task / (n_ * bytes_each)), [&](std::int64_t begin, std::int64_t end, int) { outer_lines(begin, end); });
        }
    }

private:
    void outer_lines(std::int64_t begin, std::int64_t end) const {
        for (std::int64_t line = begin; line < end; ++line) copy(line, [&](auto&& f) { each_target(0, n_, f); });
    }
    template <class Parts> void by_parts(Parts parts) const {
        for (std::int64_t line = 0; line < outer_.count(); ++line) copy(line, [&](auto&& f) { parts.each(f); });
    }

    // In one outer line: each(f) calls f with entries of the index and their targets.
    template <class Each> void copy(std::int64_t line, const Each& each) const {
        outer_.each(line, line + 1, [&](const auto& at) {
            char* const indexed = indexed_.data + at[0];
            char* const listed = listed_.data + at[1];
            if (inner_.count() == 1) {
                switch (run_) {
                    case 1: return runs<1>(indexed, listed, each);
                    case 2: return runs<2>(indexed, listed, each);
                    case 4: return runs<4>(indexed, listed, each);
                    case 8: return runs<8>(indexed, listed, each);
                    case 12: return runs<12>(indexed, listed, each);
                    case 16: return runs<16>(indexed, listed, each);
                    default: return runs<0>(indexed, listed, each);
                }
            }
            each([&](std::int64_t i, std::int64_t target) {
                char* const here = indexed + target * indexed_stride_;
                char* const there = listed + i * listed_stride_;
                if (run_ == item_) {
                    dispatch(indexed_.dtype, [&]<class T>() {
                        inner_.each(0, inner_.count(), [&](const auto& offset) { move<sizeof(T)>(here + offset[0], there + offset[1]); });
                    });
                } else {
                    inner_.each(0, inner_.count(), [&](const auto& offset) { move<0>(here + offset[0], there + offset[1]); });
                }
            });
        });
    }

    template <class F> void each_target(std::int64_t first, std::int64_t last, F&& f) const {
        if (index_.dtype == DType::uint8) each_value<std::uint8_t>(index_.data, index_.strides[0], first, last, f);
        else if (index_.dtype == DType::uint16) each_value<std::uint16_t>(index_.data, index_.strides[0], first, last, f);
        else each_place(index_.data, index_.strides[0], first, last, length_, f);
    }

    template <std::size_t bytes, class Each> void runs(char* indexed, char* listed, const Each& each) const {
        const std::int64_t indexed_stride = indexed_stride_, listed_stride = listed_stride_;
        each([=, this](std::int64_t i, std::int64_t target) { move<bytes>(indexed + target * indexed_stride, listed + i * listed_stride); });
    }

    template <std::size_t bytes> void move(char* indexed, char* listed) const {
        if constexpr (bytes == 0) copy_bytes(taking ? listed : indexed, taking ? indexed : listed, static_cast<std::size_t>(run_));
        else if constexpr (taking) std::memcpy(listed, indexed, bytes);
        else std::memcpy(indexed, listed, bytes);
    }

    const Tensor& indexed_;
    const Tensor& listed_;
    const Tensor& index_;
    std::int64_t item_, length_, indexed_stride_, listed_stride_, n_;
    std::int64_t run_ = 0;  // bytes
    Walk<2> outer_, inner_;
};

}  // namespace

void raise_out_of_bounds(std::int64_t index, std::int64_t length) {
    throw IndexError("index " + std::to_string(index) + " is out of bounds for axis with size " + std::to_string(length));
}

void overlapping_copy(const StructuredCall& call) {
    const Tensor &in = call.in[0], &out = call.out[0];
    Walk<2> walk;
    for (int i = 0; i < out.shape.size(); ++i) walk.add(out.shape[i], {in.strides[i], out.strides[i]});
    const auto [length, strides] = walk.split_last();
    with_itemsize(itemsize(out.dtype), [&]<std::size_t bytes>() {
        walk.each(0, walk.count(), [&](const auto& at) {
            const char* from = in.data + at[0];
            char* to = out.data + at[1];
            for (std::int64_t i = 0; i < length; ++i, from += strides[0], to += strides[1]) std::memcpy(to, from, bytes);
        });
    });
}

void take(const StructuredCall& call) { IndexedCopy<true>(call.in[0], call.out[0], call.in[1], static_cast<int>(call.axis)).run(); }
void scatter(const StructuredCall& call) { IndexedCopy<false>(call.out[0], call.in[0], call.in[1], static_cast<int>(call.axis)).run(); }

}  // namespace asnumpy::cpu
