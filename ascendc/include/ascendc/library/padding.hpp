// Rows made longer and shorter.
#pragma once

#include "ascendc/base/tiling_structures.hpp"
#include "ascendc/library/rows.hpp"

namespace AscendC {

struct PadParams {
    std::uint16_t leftPad = 0;
    std::uint16_t rightPad = 0;
    std::int32_t padValue = 0;
};
struct UnPadParams {
    std::uint16_t leftPad = 0;
    std::uint16_t rightPad = 0;
};

}  // namespace AscendC

namespace ascendc {

// Each row of dst: `left` times the value, `n` elements of src's row, `right` times the value.
template <class T>
void repad(const char* name, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
           const AscendC::LocalTensor<std::uint8_t>* scratch, std::uint32_t rows, std::uint32_t src_pitch, std::uint32_t n, std::uint32_t left,
           std::uint32_t right, double value, Where where) {
    if constexpr (!computes_here) return;
    static_assert(one_of<T, half, float, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>, "padding takes numbers of 16 and 32 bits");
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, scratch = KeptTensor(scratch)] {
            repad(name, dst, src, scratch.get(), rows, src_pitch, n, left, right, value, where);
        });
    Instruction at(name, Pipe::V, where);
    if (n > src_pitch) at.fail(Rule::count, "is given ", n, " elements of rows of ", src_pitch);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const std::uint32_t pitch = left + n + right;
    const Elements<T> from(at, src, "src", std::uint64_t{rows} * src_pitch, false);
    Elements<T> to(at, dst, "dst", std::uint64_t{rows} * pitch, true);
    for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t i = 0; i < pitch; ++i) {
            const bool inside = i >= left && i < left + n;
            const std::uint32_t source = row * src_pitch + i - left;
            to.set(row * pitch + i, inside ? from.get(source) : value, !inside || from.written(source));
        }
    takes(at, counted_walk(rows * pitch, repeat_lanes<T>), 2 * full_rate);
}

}  // namespace ascendc

namespace AscendC {

// The tiling says how many rows there are, how far apart, and how much of a row counts. A row of dst takes whole blocks.
template <class T>
void Pad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const PadParams& padding, const LocalTensor<std::uint8_t>& scratch,
         const PadTiling& tiling, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::repad("Pad", dst, src, &scratch, tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth, padding.leftPad, padding.rightPad,
                   padding.padValue, where);
}
template <class T>
void Pad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const PadParams& padding, const PadTiling& tiling,
         ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::repad<T>("Pad", dst, src, nullptr, tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth, padding.leftPad, padding.rightPad,
                      padding.padValue, where);
}

// Without the last rightPad elements of each row.
template <class T>
void UnPad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const UnPadParams& padding, const LocalTensor<std::uint8_t>& scratch,
           const UnPadTiling& tiling, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::repad("UnPad", dst, src, &scratch, tiling.srcHeight, tiling.srcWidth, tiling.srcWidth - padding.rightPad, 0u, 0u, 0, where);
}
template <class T>
void UnPad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const UnPadParams& padding, const UnPadTiling& tiling,
           ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::repad<T>("UnPad", dst, src, nullptr, tiling.srcHeight, tiling.srcWidth, tiling.srcWidth - padding.rightPad, 0u, 0u, 0, where);
}

}  // namespace AscendC
