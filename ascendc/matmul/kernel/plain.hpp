// c = a b on cube cores alone.
#pragma once

#include "matmul/block/order.hpp"
#include "matmul/block/product.hpp"

namespace matmul {

// c has rows side by side, and elements of type C.
template <class Product, class C, class Order = Banded<>>
__aicore__ inline void plain(const Source& a, const Source& b, const Source& c, const Extent& extent) {
    if ASCEND_IS_AIC {
        const Order order(extent, Product::Shape::M, Product::Shape::N);
        const AscendC::GlobalTensor<C> out = global<C>(c.first);
        Product product(a, b, extent.k);
        for (uint32_t i = AscendC::GetBlockIdx(); i < order.count(); i += AscendC::GetBlockNum()) {
            const Tile tile = order[i];
            product.compute(tile);
            product.put(out[tile.row * c.pitch + tile.column], c.pitch, tile);
        }
        product.finish();
    }
}

}  // namespace matmul
