// Which tile of c a block computes when: tiles of one band of `width` rows of tiles follow each other, so that what they share of
// a and b is still in the second-level cache.
#pragma once

#include "matmul/types.hpp"

namespace matmul {

template <uint32_t width = 4>
class Banded {
public:
    __aicore__ inline Banded(const Extent& extent, uint32_t tile_rows, uint32_t tile_columns)
        : extent_(extent), tile_rows_(tile_rows), tile_columns_(tile_columns), down_((extent.m + tile_rows - 1) / tile_rows),
          across_((extent.n + tile_columns - 1) / tile_columns) {}

    __aicore__ inline uint32_t count() const { return down_ * across_; }

    __aicore__ inline Tile operator[](uint32_t i) const {
        const uint32_t band = i / (width * across_), inside = i % (width * across_);
        const uint32_t high = least(width, down_ - band * width);
        // Every second band from right to left: its first tile uses the columns of the last one.
        const uint32_t step = inside / high, row = (band * width + inside % high) * tile_rows_;
        const uint32_t column = (band % 2 ? across_ - 1 - step : step) * tile_columns_;
        return {row, column, least(tile_rows_, extent_.m - row), least(tile_columns_, extent_.n - column)};
    }

private:
    Extent extent_;
    uint32_t tile_rows_, tile_columns_, down_, across_;
};

}  // namespace matmul
