// c = f(a b): the cube core of a block multiplies into two stages of a workspace, its vector cores take what it has put there.
#pragma once

#include "matmul/block/order.hpp"
#include "matmul/block/product.hpp"
#include "matmul/epilogue/epilogue.hpp"

namespace matmul {

constexpr uint32_t fused_stages = 2;

// Bytes of the workspace of a launch.
template <class Product>
constexpr uint64_t workspace_bytes(uint32_t blocks) {
    return uint64_t(blocks) * fused_stages * Product::Shape::M * Product::Shape::N * 4;
}

// For kernels of both kinds of cores, one or two vector cores for each cube core. `operations`: a Chain.
template <class Product, class C, class Operations, class Order = Banded<>>
__aicore__ inline void fused(const Source& a, const Source& b, const Source& c, const Extent& extent, GM_ADDR workspace,
                             const Operations& operations) {
    using Shape = typename Product::Shape;
    constexpr uint32_t filled = 0, taken = fused_stages;  // flags between the cores: of the first stage
    const Order order(extent, Shape::M, Shape::N);
    uint32_t block = AscendC::GetBlockIdx(), stage = 0, done = 0;
    if ASCEND_IS_AIV block /= AscendC::GetTaskRation();
    const AscendC::GlobalTensor<float> stages = global<float>(workspace)[uint64_t(block) * fused_stages * Shape::M * Shape::N];
    if ASCEND_IS_AIC {
        Product product(a, b, extent.k);
        for (uint32_t i = block; i < order.count(); i += AscendC::GetBlockNum(), stage ^= 1, ++done) {
            const Tile tile = order[i];
            product.compute(tile);
            if (done >= fused_stages) AscendC::CrossCoreWaitFlag(taken + stage);
            product.put(stages[stage * Shape::M * Shape::N], Shape::N, tile);
            AscendC::CrossCoreSetFlag<2, PIPE_FIX>(filled + stage);
        }
        for (uint32_t i = 0; i < least(done, fused_stages); ++i) AscendC::CrossCoreWaitFlag(taken + i);
        product.finish();
    } else {
        Epilogue<C, Shape, Operations> epilogue(c, operations);
        const uint32_t cores = AscendC::GetTaskRation(), core = AscendC::GetSubBlockIdx();
        for (uint32_t i = block; i < order.count(); i += AscendC::GetBlockNum(), stage ^= 1) {
            const Tile tile = order[i];
            const uint32_t share = (tile.rows + cores - 1) / cores, first = least(core * share, tile.rows);
            const Tile part{tile.row + first, tile.column, least(share, tile.rows - first), tile.columns};
            AscendC::CrossCoreWaitFlag(filled + stage);
            epilogue.run(stages[stage * Shape::M * Shape::N + first * Shape::N], part);
            AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(taken + stage);
        }
        epilogue.finish();
    }
}

}  // namespace matmul
