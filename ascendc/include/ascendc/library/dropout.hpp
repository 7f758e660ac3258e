// Elements kept or dropped by a mask of bytes or bits.
#pragma once

#include "ascendc/library/functions.hpp"

namespace AscendC {

struct DropOutShapeInfo {
    std::uint32_t firstAxis = 0;
    std::uint32_t srcLastAxis = 0;
    std::uint32_t maskLastAxis = 0;
};

// What the mask has for an element, and whether its rows are longer than they need to be.
constexpr std::uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1, DROPOUT_MODE_BYTE_ALIGN = 2, DROPOUT_MODE_BIT_ALIGN = 3, DROPOUT_MODE_BIT_MISALIGN = 4;

}  // namespace AscendC

namespace ascendc {

// Without a mode the lengths of the rows say it: a byte each where the mask has no fewer than the source.
template <class T>
void drop_out(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<std::uint8_t>& mask,
              const AscendC::LocalTensor<std::uint8_t>* scratch, float kept, const AscendC::DropOutShapeInfo& shape, std::uint32_t mode,
              Where where) {
    static_assert(one_of<T, half, float>, "DropOut takes half and float");
    if constexpr (!computes_here) return;
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, scratch = KeptTensor(scratch)] { drop_out(dst, src, mask, scratch.get(), kept, shape, mode, where); });
    Instruction at("DropOut", Pipe::V, where);
    if (!(kept > 0 && kept <= 1)) at.fail(Rule::count, "is given ", kept, " as the share that it keeps, which is above 0 and at most 1");
    const std::uint64_t columns = shape.srcLastAxis, n = shape.firstAxis * columns;
    const bool bits = mode ? mode >= AscendC::DROPOUT_MODE_BIT_ALIGN : shape.maskLastAxis < columns;
    // In aligned modes source and mask are each one row.
    const bool apart = mode != AscendC::DROPOUT_MODE_BYTE_ALIGN && mode != AscendC::DROPOUT_MODE_BIT_ALIGN;
    const std::uint64_t pitch = apart ? std::uint64_t{shape.maskLastAxis} * (bits ? 8 : 1) : columns;
    if (pitch < columns)
        at.fail(Rule::count, "is given rows of ", shape.maskLastAxis, bits ? " bytes of bits" : " bytes", " in the mask and of ", columns,
                " in the source");
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const std::uint64_t last = n ? (shape.firstAxis - 1) * pitch + columns : 0;
    const Elements<T> from(at, src, "src", n, false);
    const Elements<std::uint8_t> chosen(at, mask, "mask", bits ? (last + 7) / 8 : last, false);
    Elements<T> to(at, dst, "dst", n, true);
    const T factor = rounded<T>(at, 1.0f / kept);
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t place = i / columns * pitch + i % columns;
        const auto byte = static_cast<std::uint32_t>(chosen.get(bits ? place / 8 : place));
        if (!bits && byte > 1) at.fail(Rule::count, "is given the byte ", byte, " in the mask at ", place, "; it takes 0 and 1");
        const bool keeps = bits ? byte >> place % 8 & 1 : byte;
        const double value = keeps ? static_cast<float>(from.get(i)) * static_cast<float>(factor) : 0;
        to.set(i, value, chosen.written(bits ? place / 8 : place) && (!keeps || from.written(i)));
    }
    takes(at, counted_walk(static_cast<std::uint32_t>(n), repeat_lanes<T>), full_rate * 3);
}

}  // namespace ascendc

namespace AscendC {

// dst = src over the share that is kept where the mask says so, else 0.
template <class T, bool isInitBitMode = false, std::uint32_t dropOutMode = 0>
void DropOut(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& mask,
             const LocalTensor<std::uint8_t>& scratch, const float keepProb, const DropOutShapeInfo& shape,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::drop_out(dst, src, mask, &scratch, keepProb, shape, dropOutMode, where);
}
template <class T, bool isInitBitMode = false, std::uint32_t dropOutMode = 0>
void DropOut(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& mask, const float keepProb,
             const DropOutShapeInfo& shape, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::drop_out<T>(dst, src, mask, nullptr, keepProb, shape, dropOutMode, where);
}

}  // namespace AscendC
