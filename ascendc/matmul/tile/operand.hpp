// A tile of a or b on its way: global memory, L1, L0A or L0B.
#pragma once

#include "matmul/types.hpp"

namespace matmul {

// Rows of global memory into columns of fractals, `rows_up` rows each. A pitch that the instruction cannot hold goes row by row.
template <class T>
__aicore__ inline void copy_rows(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& from, uint32_t rows, uint32_t columns,
                                 uint64_t pitch, uint32_t rows_up) {
    constexpr uint64_t longest_pitch = 65535;
    if (pitch <= longest_pitch) {
        AscendC::DataCopy(to, from, AscendC::Nd2NzParams(1, rows, columns, 0, pitch, rows_up, 1, 0));
        return;
    }
    for (uint32_t row = 0; row < rows; ++row)
        AscendC::DataCopy(to[row * width_of<T>], from[row * pitch], AscendC::Nd2NzParams(1, 1, columns, 0, columns, rows_up, 1, 0));
}

// `lines` rows of a or columns of b, each of them `depth` elements along k. Where `along_depth`, a line's elements lie side by
// side in global memory; else those of one depth do, and the tile is turned over on its way to L0.
//
// L0A has the fractals of one band of 16 lines after those of the other; L0B those of one depth after those of the other. Depths
// are whole multiples of 16 there. What lies beyond the last line or depth is whatever L1 held: the product leaves it out.
template <class T, bool along_depth>
class OperandTile {
public:
    static constexpr uint32_t width = width_of<T>, fractal = fractal_of<T>;

    // An address in L1 with room for so many elements.
    __aicore__ inline OperandTile(uint32_t address, uint32_t elements) : tile_(AscendC::TPosition::A1, address, elements) {}

    // From global memory; `from`: the tile's first element.
    __aicore__ inline void load(const AscendC::GlobalTensor<T>& from, uint64_t pitch, uint32_t lines, uint32_t depth) {
        bands_ = up(lines, fractal_edge) / fractal_edge;
        depth_bands_ = up(depth, fractal_edge) / fractal_edge;
        if constexpr (along_depth) {
            copy_rows(tile_, from, lines, depth, pitch, bands_ * fractal_edge);
        } else if constexpr (sizeof(T) == 2) {
            copy_rows(tile_, from, depth, lines, pitch, depth_bands_ * fractal_edge);
        } else {
            // 16 depths at a time, so that the two fractals of a square block of 16 x 16 lie beside each other.
            for (uint32_t first = 0; first < depth; first += fractal_edge)
                copy_rows(tile_[first * bands_ * fractal_edge], from[first * pitch], least(fractal_edge, depth - first), lines, pitch,
                          fractal_edge);
        }
    }

    // `depth` elements of k from `first` on, both multiples of 16, to L0A.
    __aicore__ inline void to_left(const AscendC::LocalTensor<T>& to, uint32_t first, uint32_t depth) const {
        const uint32_t fractals = depth / width;
        if constexpr (!along_depth && sizeof(T) == 4) {
            for (uint32_t band = 0; band < depth / fractal_edge; ++band)
                AscendC::LoadDataWithTranspose(to[2 * band * fractal], tile_,
                                               AscendC::LoadData2dTransposeParams((first / fractal_edge + band) * bands_, bands_, 1, fractals - 1, 0));
        } else {
            for (uint32_t band = 0; band < bands_; ++band)
                AscendC::LoadData(to[band * fractals * fractal], tile_,
                                  along_depth ? AscendC::LoadData2DParams(first / width * bands_ + band, fractals, bands_, 0, 0, false, 0)
                                              : AscendC::LoadData2DParams(band * depth_bands_ + first / width, fractals, 1, 0, 0, true, 0));
        }
    }

    // The same to L0B.
    __aicore__ inline void to_right(const AscendC::LocalTensor<T>& to, uint32_t first, uint32_t depth) const {
        const uint32_t fractals = depth / width;
        if constexpr (along_depth) {
            AscendC::LoadData(to, tile_, AscendC::LoadData2DParams(first / width * bands_, fractals * bands_, 1, 0, 0, false, 0));
        } else if constexpr (sizeof(T) == 2) {
            for (uint32_t i = 0; i < fractals; ++i)
                AscendC::LoadData(to[i * bands_ * fractal], tile_,
                                  AscendC::LoadData2DParams(first / width + i, bands_, depth_bands_, 0, 0, true, 0));
        } else {
            for (uint32_t band = 0; band < depth / fractal_edge; ++band)
                AscendC::LoadDataWithTranspose(to[2 * band * bands_ * fractal], tile_,
                                               AscendC::LoadData2dTransposeParams((first / fractal_edge + band) * bands_, bands_, 1, 0, bands_ - 1));
        }
    }

private:
    AscendC::LocalTensor<T> tile_;
    uint32_t bands_ = 0, depth_bands_ = 0;
};

}  // namespace matmul
