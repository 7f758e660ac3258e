// What the kernels share: the part of the work that a core has, copies of any length, and vector code of a few instructions.
// Numbers are computed in float; half and bfloat16 are converted on their way in and out.
#pragma once
#include "kernel_operator.h"

namespace library {

using namespace AscendC;

constexpr uint32_t UB_BYTES = 184 * 1024;  // Select works in the last 8 KB of 192
constexpr uint32_t REPEAT = 64;            // numbers of four bytes that an instruction takes at once
constexpr float INFINITE = __builtin_inff();

__aicore__ inline uint32_t RoundUp(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }

// What this core has of n items that are given out in pieces of `unit`: [begin, end).
struct Share {
    uint64_t begin, end;
    __aicore__ inline Share(uint64_t n, uint64_t unit) {
        const uint64_t pieces = (n + unit - 1) / unit, cores = GetBlockNum(), core = GetBlockIdx();
        begin = min(n, pieces * core / cores * unit);
        end = min(n, pieces * (core + 1) / cores * unit);
    }
};

template <class T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer((__gm__ T*)address);
    return tensor;
}

// `rows` pieces of n elements, `pitch` elements apart in global memory; on the core each begins at a block of 32 bytes,
// which zeros fill up.
template <class T>
__aicore__ inline void Load(const LocalTensor<T>& to, const GlobalTensor<T>& from, uint32_t n, uint16_t rows = 1, uint32_t pitch = 0) {
    const uint32_t bytes = n * sizeof(T), gap = rows > 1 ? (pitch - n) * sizeof(T) : 0;
    const uint8_t fill = (RoundUp(bytes, 32) - bytes) / sizeof(T);
    DataCopyPad(to, from, DataCopyExtParams(rows, bytes, gap, 0, 0), DataCopyPadExtParams<T>(true, 0, fill, T(0)));
}
template <class T>
__aicore__ inline void Store(const GlobalTensor<T>& to, const LocalTensor<T>& from, uint32_t n, uint16_t rows = 1, uint32_t pitch = 0) {
    const uint32_t bytes = n * sizeof(T), gap = rows > 1 ? (pitch - n) * sizeof(T) : 0;
    DataCopyPad(to, from, DataCopyExtParams(rows, bytes, 0, gap, 0));
}

// Each pipe in its turn: where a tile's time is not the copy's.
__aicore__ inline void Settle() { PipeBarrier<PIPE_ALL>(); }

// Buffers outside of queues, taken one after the other; each is a whole number of repeats.
class Scratch {
public:
    __aicore__ inline void Init(TPipe& pipe, uint32_t bytes) {
        pipe.InitBuffer(buffer, bytes);
        used = 0;
    }
    template <class T = float>
    __aicore__ inline LocalTensor<T> Take(uint32_t elements) {
        const uint32_t at = used;
        used += RoundUp(elements * sizeof(T), 256);
        return buffer.GetWithOffset<T>(elements, at);
    }

private:
    TBuf<TPosition::VECCALC> buffer;
    uint32_t used = 0;
};

template <class T>
__aicore__ inline void Widen(const LocalTensor<float>& to, const LocalTensor<T>& from, uint32_t n) {
    if constexpr (sizeof(T) == 4) Adds(to, from, 0.0f, n);
    else Cast(to, from, RoundMode::CAST_NONE, n);
}
template <class T>
__aicore__ inline void Narrow(const LocalTensor<T>& to, const LocalTensor<float>& from, uint32_t n) {
    if constexpr (sizeof(T) == 4) Adds(to, from, 0.0f, n);
    else Cast(to, from, RoundMode::CAST_RINT, n);
}

// to = c x^k + ... by Horner's rule; the coefficients from the highest power down.
template <class First, class... Rest>
__aicore__ inline void Polynomial(const LocalTensor<float>& to, const LocalTensor<float>& x, uint32_t n, First first, Rest... rest) {
    Duplicate(to, static_cast<float>(first), n);
    ((Mul(to, to, x, n), Adds(to, to, static_cast<float>(rest), n)), ...);
}

// Comparisons are made in whole repeats: their tensors have room for them.
using Bits = LocalTensor<uint8_t>;
__aicore__ inline void Test(const Bits& bits, const LocalTensor<float>& x, float y, CMPMODE mode, uint32_t n) {
    CompareScalar(bits, x, y, mode, RoundUp(n, REPEAT));
}
__aicore__ inline void Test(const Bits& bits, const LocalTensor<float>& x, const LocalTensor<float>& y, CMPMODE mode, uint32_t n) {
    Compare(bits, x, y, mode, RoundUp(n, REPEAT));
}
__aicore__ inline void Choose(const LocalTensor<float>& to, const Bits& bits, const LocalTensor<float>& x, const LocalTensor<float>& y, uint32_t n) {
    Select(to, bits, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
}
__aicore__ inline void Choose(const LocalTensor<float>& to, const Bits& bits, const LocalTensor<float>& x, float y, uint32_t n) {
    Select(to, bits, x, y, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
}

// Every second element of n: by pattern 1 those with an even place, by 2 the others.
template <class T>
__aicore__ inline void Pick(const LocalTensor<T>& to, const LocalTensor<T>& from, uint8_t pattern, uint32_t n) {
    uint64_t kept = 0;
    GatherMask(to, from, pattern, true, n, GatherMaskParams(1, 1, 8, 8), kept);
    SetMaskNorm();
    ResetMask();
}

// A number to all of a block of 32 bytes, which an operand without strides then is.
__aicore__ inline void Spread(const LocalTensor<float>& block, const LocalTensor<float>& one) { Brcb(block, one, 1, BrcbRepeatParams(1, 8)); }

// to = x (operation) a row of 64 numbers, the same for every repeat; `step` is 0 where it is one block.
#define LIBRARY_WITH_ROW(Name, Instruction)                                                                                      \
    __aicore__ inline void Name(const LocalTensor<float>& to, const LocalTensor<float>& x, const LocalTensor<float>& row, uint32_t n, \
                                uint8_t step = 0) {                                                                              \
        for (uint32_t at = 0; at < n; at += 255 * REPEAT) {                                                                      \
            const uint8_t repeats = RoundUp(min(n - at, 255 * REPEAT), REPEAT) / REPEAT;                                         \
            Instruction(to[at], x[at], row, uint64_t{REPEAT}, repeats, BinaryRepeatParams(1, 1, step, 8, 8, 0));                 \
        }                                                                                                                        \
    }
LIBRARY_WITH_ROW(AddRow, Add)
LIBRARY_WITH_ROW(SubRow, Sub)
LIBRARY_WITH_ROW(MulRow, Mul)
LIBRARY_WITH_ROW(DivRow, Div)
#undef LIBRARY_WITH_ROW

// 1 / (1 + e^-x)
__aicore__ inline void Logistic(const LocalTensor<float>& to, const LocalTensor<float>& x, const LocalTensor<float>& one, uint32_t n) {
    Muls(to, x, -1.0f, n);
    Exp(to, to, n);
    Adds(to, to, 1.0f, n);
    Duplicate(one, 1.0f, n);
    Div(to, one, to, n);
}

}  // namespace library
