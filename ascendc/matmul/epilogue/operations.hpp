// Operations on the sums of a product. One has `bytes` of UB for its own operands, loads them, and changes the sums in place.
#pragma once

#include "matmul/types.hpp"

namespace matmul {

// Some rows of a tile in UB, `pitch` elements apart: the sums, and room for as many numbers.
struct Piece {
    Tile tile;
    uint32_t pitch;
    AscendC::LocalTensor<float> sums, scratch;

    __aicore__ inline uint32_t count() const { return tile.rows * pitch; }
};

template <class T>
__aicore__ inline AscendC::LocalTensor<T> local(uint32_t address, uint32_t elements) {
    return AscendC::LocalTensor<T>(AscendC::TPosition::VECCALC, address, elements);
}

// Rows of global memory and of UB; pitches in elements, that of UB a multiple of 32 bytes.
template <class T>
__aicore__ inline void load_rows(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& from, uint32_t rows, uint32_t columns,
                                 uint32_t to_pitch, uint64_t from_pitch) {
    const uint32_t bytes = columns * sizeof(T), gap = (to_pitch * sizeof(T) - up(bytes, block_size)) / block_size;
    AscendC::DataCopyPad(to, from, AscendC::DataCopyExtParams(rows, bytes, (from_pitch - columns) * sizeof(T), gap, 0),
                         AscendC::DataCopyPadExtParams<T>(false, 0, 0, T(0)));
}
template <class T>
__aicore__ inline void store_rows(const AscendC::GlobalTensor<T>& to, const AscendC::LocalTensor<T>& from, uint32_t rows, uint32_t columns,
                                  uint32_t from_pitch, uint64_t to_pitch) {
    const uint32_t bytes = columns * sizeof(T), gap = (from_pitch * sizeof(T) - up(bytes, block_size)) / block_size;
    AscendC::DataCopyPad(to, from, AscendC::DataCopyExtParams(rows, bytes, gap, (to_pitch - columns) * sizeof(T), 0));
}

// An operation without operands of its own.
struct Unary {
    template <uint32_t, uint32_t>
    static constexpr uint32_t bytes = 0;
    __aicore__ inline void load(const Piece&, uint32_t) const {}
};

// x factor.
struct Scale : Unary {
    float factor;

    __aicore__ inline explicit Scale(float by) : factor(by) {}
    __aicore__ inline void apply(const Piece& piece, uint32_t) const { AscendC::Muls(piece.sums, piece.sums, factor, piece.count()); }
};

struct Relu : Unary {
    __aicore__ inline void apply(const Piece& piece, uint32_t) const { AscendC::Relu(piece.sums, piece.sums, piece.count()); }
};

// x / (1 + exp(-x)); `scratch` holds -x or what stands in its place.
__aicore__ inline void divide_by_one_and_exponential(const Piece& piece) {
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Exp(piece.scratch, piece.scratch, piece.count());
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(piece.scratch, piece.scratch, 1.0f, piece.count());
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Div(piece.sums, piece.sums, piece.scratch, piece.count());
}

struct Silu : Unary {
    __aicore__ inline void apply(const Piece& piece, uint32_t) const {
        AscendC::Muls(piece.scratch, piece.sums, -1.0f, piece.count());
        divide_by_one_and_exponential(piece);
    }
};

// In the form with tanh: x (1 + tanh(y)) / 2 = x / (1 + exp(-2 y)), y = sqrt(2 / pi) (x + 0.044715 x^3).
struct Gelu : Unary {
    __aicore__ inline void apply(const Piece& piece, uint32_t) const {
        AscendC::Mul(piece.scratch, piece.sums, piece.sums, piece.count());
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(piece.scratch, piece.scratch, 0.044715f, piece.count());
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(piece.scratch, piece.scratch, 1.0f, piece.count());
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(piece.scratch, piece.scratch, piece.sums, piece.count());
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(piece.scratch, piece.scratch, -1.5957691216057308f, piece.count());
        divide_by_one_and_exponential(piece);
    }
};

// A number for each column, of a row of n in global memory: added, or multiplied by.
template <class T, bool multiplies>
struct ByColumn {
    GM_ADDR row;

    template <uint32_t, uint32_t columns>
    static constexpr uint32_t bytes = columns * (4 + (sizeof(T) == 4 ? 0 : sizeof(T)));

    __aicore__ inline void load(const Piece& piece, uint32_t address) const {
        const uint32_t columns = piece.tile.columns;
        load_rows(given(piece, address), global<T>(row)[piece.tile.column], 1, columns, up(columns, width_of<T>), columns);
    }
    __aicore__ inline void apply(const Piece& piece, uint32_t address) const {
        const AscendC::LocalTensor<float> numbers = local<float>(address, piece.pitch);
        if constexpr (sizeof(T) != 4) {
            AscendC::Cast(numbers, given(piece, address), AscendC::RoundMode::CAST_NONE, piece.tile.columns);
            AscendC::PipeBarrier<PIPE_V>();
        }
        // 64 columns at a time, a repeat for each row; the numbers stay where they are.
        constexpr uint32_t lanes = 64;
        const uint8_t step = piece.pitch * 4 / block_size;
        const AscendC::BinaryRepeatParams strides(1, 1, 1, step, step, 0);
        for (uint32_t first = 0; first < piece.tile.columns; first += lanes) {
            const uint64_t mask = least(lanes, piece.tile.columns - first);
            const AscendC::LocalTensor<float> sums = piece.sums[first];
            if constexpr (multiplies) AscendC::Mul(sums, sums, numbers[first], mask, piece.tile.rows, strides);
            else AscendC::Add(sums, sums, numbers[first], mask, piece.tile.rows, strides);
        }
    }

private:
    __aicore__ static inline AscendC::LocalTensor<T> given(const Piece& piece, uint32_t address) {
        return local<T>(sizeof(T) == 4 ? address : address + piece.pitch * 4, piece.pitch);
    }
};
template <class T>
struct Bias : ByColumn<T, false> {};
template <class T>
struct ColumnScale : ByColumn<T, true> {};

// x + factor d, of a matrix d like c.
template <class T>
struct Residual {
    Source matrix;
    float factor;

    template <uint32_t rows, uint32_t columns>
    static constexpr uint32_t bytes = rows * columns * sizeof(T);

    __aicore__ inline void load(const Piece& piece, uint32_t address) const {
        const Tile& tile = piece.tile;
        load_rows(given(piece, address), global<T>(matrix.first)[tile.row * matrix.pitch + tile.column], tile.rows, tile.columns, piece.pitch,
                  matrix.pitch);
    }
    __aicore__ inline void apply(const Piece& piece, uint32_t address) const {
        if constexpr (sizeof(T) == 4) {
            AscendC::Axpy(piece.sums, given(piece, address), factor, piece.count());
        } else {
            AscendC::Cast(piece.scratch, given(piece, address), AscendC::RoundMode::CAST_NONE, piece.count());
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Axpy(piece.sums, piece.scratch, factor, piece.count());
        }
    }

private:
    __aicore__ static inline AscendC::LocalTensor<T> given(const Piece& piece, uint32_t address) { return local<T>(address, piece.count()); }
};

}  // namespace matmul
