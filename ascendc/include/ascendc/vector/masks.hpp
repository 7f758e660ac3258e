// The mask registers and the counter mode, as kernels set them for instructions that follow.
#pragma once

#include "ascendc/vector/compute.hpp"

namespace ascendc {

template <class Change>
void set_register(Change change) {
    set_vector_register(change);
    current().scalar_time += 1;
}

}  // namespace ascendc

namespace AscendC {

// Two words of bits; in counter mode the low one is the number of elements.
template <class T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(const std::uint64_t high, const std::uint64_t low) {
    ascendc::set_register([=](ascendc::VectorRegisters& registers) { registers.mask = {high, low}; });
}
// The first lanes of a repeat; in counter mode so many elements.
template <class T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(std::int32_t length, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Core& core = ascendc::current();
    const auto n = static_cast<std::uint64_t>(length);
    if (length < 0 || (mode == MaskMode::NORMAL && n > ascendc::repeat_lanes<T>))
        core.fail(ascendc::Rule::count, where, ascendc::join("SetVectorMask is given ", length, " lanes; a repeat has ", ascendc::repeat_lanes<T>));
    ascendc::set_register([n](ascendc::VectorRegisters& registers) {
        registers.mask = mode == MaskMode::COUNTER ? ascendc::Mask{0, n} : ascendc::first_lanes(n);
    });
}
inline void ResetMask() {
    ascendc::set_register([](ascendc::VectorRegisters& registers) { registers.mask = {}; });
}
inline void SetMaskCount() {
    ascendc::set_register([](ascendc::VectorRegisters& registers) { registers.counter = true; });
}
inline void SetMaskNorm() {
    ascendc::set_register([](ascendc::VectorRegisters& registers) { registers.counter = false; });
}

// Whether half and bfloat16 keep infinities and NaN, or saturate.
inline void SetSaturationFlag(bool saturates) { ascendc::current().registers.keeps_infinity = !saturates; }

// Bits of the control register, of which this chip has one that changes results: 48, whether half and bfloat16 keep infinities.
template <std::uint8_t first, std::uint8_t last>
void SetCtrlSpr(std::int64_t value) {
    static_assert(first == 48 && last == 48, "of the control register bit 48 alone can be set here");
    ascendc::current().registers.keeps_infinity = value == 1;
}
template <std::uint8_t first, std::uint8_t last>
std::int64_t GetCtrlSpr() {
    static_assert(first == 48 && last == 48, "of the control register bit 48 alone can be read here");
    return ascendc::current().registers.keeps_infinity;
}
template <std::uint8_t first, std::uint8_t last>
void ResetCtrlSpr() { SetCtrlSpr<first, last>(ascendc::current().launch->options.keeps_infinity); }

struct AscendCUtils {
    static void SetOverflow(std::uint64_t keeps) { ascendc::current().registers.keeps_infinity = keeps == 1; }
    static void ResetMask() { AscendC::ResetMask(); }
    template <class T>
    static void SetMask(const std::uint64_t& high, const std::uint64_t& low) { SetVectorMask<T>(high, low); }
    template <class T>
    static void SetMask(std::int32_t length) { SetVectorMask<T>(length); }
};

}  // namespace AscendC
