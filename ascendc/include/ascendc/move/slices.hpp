// DataCopy between slices of two matrices: pieces of the rows of the one become pieces of the rows of the other.
#pragma once

#include <vector>

#include "ascendc/move/data_copy.hpp"

namespace ascendc {

// The pieces of a slice in order, by their first element. Of the last axis (the first in the list) a piece has `burstLen` blocks, of the
// others one index; `stride` elements or indices lie between two.
template <class T>
std::vector<std::uint64_t> slice_pieces(const Instruction& at, const AscendC::SliceInfo slice[], std::uint32_t dims, const char* name) {
    std::vector<std::uint64_t> pieces{0};
    std::uint64_t pitch = 1;
    for (std::uint32_t axis = 0; axis < dims; ++axis) {
        const AscendC::SliceInfo& part = slice[axis];
        const std::uint64_t length = axis ? 1 : part.burstLen * std::uint64_t{block_elements<T>};
        const std::uint64_t extent = std::uint64_t{part.endIndex} + 1 - part.startIndex;
        if (part.endIndex < part.startIndex || part.endIndex >= part.shapeValue)
            at.fail(Rule::bounds, "takes ", part.startIndex, " to ", part.endIndex, " of axis ", axis, " of ", name, ", which has ", part.shapeValue);
        if (!length || (extent + part.stride) % (length + part.stride))
            at.fail(Rule::count, "is given ", extent, " elements of axis ", axis, " of ", name, ", which pieces of ", length, " with gaps of ",
                    part.stride, " do not fill");
        std::vector<std::uint64_t> more;
        for (std::uint64_t i = part.startIndex; i <= part.endIndex; i += length + part.stride)
            for (const std::uint64_t piece : pieces) more.push_back(i * pitch + piece);
        pieces = std::move(more);
        pitch *= part.shapeValue;
    }
    return pieces;
}

template <class T, class Copy>
void copy_slices(const Instruction& at, const AscendC::SliceInfo dst[], const AscendC::SliceInfo src[], std::uint32_t dims, Copy copy) {
    const auto to = slice_pieces<T>(at, dst, dims, "dst"), from = slice_pieces<T>(at, src, dims, "src");
    if (to.size() != from.size() || dst[0].burstLen != src[0].burstLen)
        at.fail(Rule::count, "copies ", from.size(), " pieces of ", src[0].burstLen, " blocks to ", to.size(), " of ", dst[0].burstLen);
    for (std::size_t i = 0; i < to.size(); ++i) copy(to[i] * sizeof(T), from[i] * sizeof(T), std::uint64_t{src[0].burstLen} * block_bytes);
}

// As a postponed call keeps it.
inline std::vector<AscendC::SliceInfo> kept_slices(const AscendC::SliceInfo slice[], std::uint32_t dims) { return {slice, slice + dims}; }

}  // namespace ascendc

namespace AscendC {

template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSlice[], const SliceInfo srcSlice[],
              const std::uint32_t dims = 1, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::MTE2))
        return ascendc::postpone(ascendc::Pipe::MTE2, [=, to = ascendc::kept_slices(dstSlice, dims), from = ascendc::kept_slices(srcSlice, dims)] {
            DataCopy<T>(dst, src, to.data(), from.data(), dims, where);
        });
    ascendc::Instruction at("DataCopy", ascendc::Pipe::MTE2, where);
    ascendc::copy_slices<T>(at, dstSlice, srcSlice, dims, [&](std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        ascendc::Place place = dst.place();
        place.address += static_cast<std::uint32_t>(to);
        ascendc::copy_in(at, place, bytes, src.address() + from, bytes, 1, bytes, bytes);
    });
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSlice[], const SliceInfo srcSlice[],
              const std::uint32_t dims = 1, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::MTE3))
        return ascendc::postpone(ascendc::Pipe::MTE3, [=, to = ascendc::kept_slices(dstSlice, dims), from = ascendc::kept_slices(srcSlice, dims)] {
            DataCopy<T>(dst, src, to.data(), from.data(), dims, where);
        });
    ascendc::Instruction at("DataCopy", ascendc::Pipe::MTE3, where);
    ascendc::copy_slices<T>(at, dstSlice, srcSlice, dims, [&](std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        ascendc::Place place = src.place();
        place.address += static_cast<std::uint32_t>(from);
        ascendc::copy_out(at, dst.address() + to, bytes, place, bytes, 1, bytes, ascendc::element_of<T>());
    });
}

}  // namespace AscendC
