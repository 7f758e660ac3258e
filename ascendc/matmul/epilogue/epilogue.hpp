// What a vector core does with the sums of its part of a tile: operations one after the other, in float, then c's type.
#pragma once

#include "matmul/epilogue/operations.hpp"

namespace matmul {

// Operations in their order. Chain<Scale, Bias<half>, Relu> is made by chain(Scale{2}, Bias<half>{row}, Relu{}).
template <class... Operations>
struct Chain {
    template <uint32_t, uint32_t>
    static constexpr uint32_t bytes = 0;
    __aicore__ inline void load(const Piece&, uint32_t) const {}
    __aicore__ inline void apply(const Piece&, uint32_t) const {}
};
template <class First, class... Rest>
struct Chain<First, Rest...> {
    First first;
    Chain<Rest...> rest;

    template <uint32_t rows, uint32_t columns>
    static constexpr uint32_t own = up(First::template bytes<rows, columns>, block_size);
    // Bytes of UB that the operations need for a piece.
    template <uint32_t rows, uint32_t columns>
    static constexpr uint32_t bytes = own<rows, columns> + Chain<Rest...>::template bytes<rows, columns>;
};

__aicore__ inline Chain<> chain() { return {}; }
template <class First, class... Rest>
__aicore__ inline Chain<First, Rest...> chain(const First& first, const Rest&... rest) {
    return {first, chain(rest...)};
}

// Each operation with its own memory, which begins at `address`.
template <uint32_t rows, uint32_t columns>
__aicore__ inline void load_all(const Chain<>&, const Piece&, uint32_t) {}
template <uint32_t rows, uint32_t columns, class First, class... Rest>
__aicore__ inline void load_all(const Chain<First, Rest...>& chain, const Piece& piece, uint32_t address) {
    chain.first.load(piece, address);
    load_all<rows, columns>(chain.rest, piece, address + Chain<First, Rest...>::template own<rows, columns>);
}
template <uint32_t rows, uint32_t columns>
__aicore__ inline void apply_all(const Chain<>&, const Piece&, uint32_t) {}
template <uint32_t rows, uint32_t columns, class First, class... Rest>
__aicore__ inline void apply_all(const Chain<First, Rest...>& chain, const Piece& piece, uint32_t address) {
    chain.first.apply(piece, address);
    AscendC::PipeBarrier<PIPE_V>();
    apply_all<rows, columns>(chain.rest, piece, address + Chain<First, Rest...>::template own<rows, columns>);
}

template <class C, class Shape, class Operations>
class Epilogue {
    static constexpr bool narrows = sizeof(C) != 4;
    template <uint32_t rows>
    static constexpr uint32_t stage_bytes =
        rows * Shape::N * (4 + (narrows ? sizeof(C) : 0)) + Operations::template bytes<rows, Shape::N>;
    template <uint32_t rows>
    static constexpr uint32_t all_bytes = 2 * stage_bytes<rows> + rows * Shape::N * 4;
    // The most rows at a time that leave room for two stages and what an operation computes beside.
    template <uint32_t rows>
    static constexpr uint32_t most_rows() {
        if constexpr (rows == 1 || all_bytes<rows> <= ub_size) return rows;
        else return most_rows<rows / 2>();
    }

public:
    static constexpr uint32_t rows = most_rows<(Shape::M < 128 ? Shape::M : 128)>();
    static_assert(all_bytes<rows> <= ub_size, "a row of the tile with all operands of its operations lies in UB");

    __aicore__ inline Epilogue(const Source& c, const Operations& operations)
        : out_(global<C>(c.first)), pitch_(c.pitch), operations_(operations) {
        for (int32_t i = 0; i < 2; ++i) AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(i);
    }
    // Before the kernel ends.
    __aicore__ inline void finish() {
        for (int32_t i = 0; i < 2; ++i) AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(i);
    }

    // `sums`: of the part's first element; rows lie Shape::N apart.
    __aicore__ inline void run(const AscendC::GlobalTensor<float>& sums, const Tile& part) {
        for (uint32_t first = 0; first < part.rows; first += rows)
            run_piece(sums[first * Shape::N], {part.row + first, part.column, least(rows, part.rows - first), part.columns});
    }

private:
    __aicore__ inline void run_piece(const AscendC::GlobalTensor<float>& sums, const Tile& tile) {
        constexpr uint32_t elements = rows * Shape::N, scratch = 2 * stage_bytes<rows>;
        const uint32_t begin = stage_ * stage_bytes<rows>, result = begin + elements * 4,
                       operands = result + (narrows ? elements * uint32_t(sizeof(C)) : 0);
        const Piece piece{tile, Shape::N, local<float>(begin, elements), local<float>(scratch, elements)};
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(stage_);
        load_rows(piece.sums, sums, tile.rows, tile.columns, Shape::N, Shape::N);
        load_all<rows, Shape::N>(operations_, piece, operands);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(stage_);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(stage_);
        apply_all<rows, Shape::N>(operations_, piece, operands);
        if constexpr (narrows) AscendC::Cast(local<C>(result, elements), piece.sums, AscendC::RoundMode::CAST_RINT, tile.rows * Shape::N);
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(stage_);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(stage_);
        store_rows(out_[tile.row * pitch_ + tile.column], local<C>(narrows ? result : begin, elements), tile.rows, tile.columns, Shape::N,
                   pitch_);
        AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(stage_);
        stage_ ^= 1;
    }

    AscendC::GlobalTensor<C> out_;
    uint64_t pitch_;
    Operations operations_;
    int32_t stage_ = 0;
};

}  // namespace matmul
