// One tile of c on a cube core: two stages in L1 and in L0, so that copies and products run beside each other.
#pragma once

#include "matmul/tile/operand.hpp"

namespace matmul {

// What a result's type asks of the way out of L0C.
template <class C>
constexpr QuantMode_t narrowing = NoQuant;
template <>
inline constexpr QuantMode_t narrowing<half> = F322F16;
template <>
inline constexpr QuantMode_t narrowing<bfloat16_t> = F322BF16;

// A and B are matrices, Tile is what L0C holds of c and L1 of k in one stage, Step what L0A and L0B take of k at a time.
template <class A, class B, class TileShape, uint32_t step>
class Product {
public:
    using Element = typename A::Element;
    using Shape = TileShape;
    static constexpr uint32_t stages = 2, sums_stages = TileShape::M * TileShape::N * 8 <= l0c_size ? 2 : 1;

    static_assert(AscendC::IsSameType<typename A::Element, typename B::Element>::value, "a and b have elements of one type");
    static_assert(step % 16 == 0 && TileShape::K % step == 0, "a stage of L1 is whole steps of k, and a step whole fractals");
    static_assert(stages * (TileShape::M + TileShape::N) * TileShape::K * sizeof(Element) <= l1_size, "two stages of a and b lie in L1");
    static_assert(stages * TileShape::M * step * sizeof(Element) <= l0_size, "two steps of a lie in L0A");
    static_assert(stages * TileShape::N * step * sizeof(Element) <= l0_size, "two steps of b lie in L0B");
    static_assert(TileShape::M * TileShape::N * 4 <= l0c_size, "a tile of sums lies in L0C");
    static_assert(TileShape::N / 16 * (step / width_of<Element>) <= 255, "a step of b is loaded by one instruction");

    __aicore__ inline Product(const Source& a, const Source& b, uint32_t depth)
        : a_(global<Element>(a.first)), b_(global<Element>(b.first)), a_pitch_(a.pitch), b_pitch_(b.pitch), depth_(depth) {
        for (int32_t i = 0; i < int32_t(stages); ++i) {
            AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(i);
            AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(i);
        }
    }

    // Before the kernel ends.
    __aicore__ inline void finish() {
        for (int32_t i = 0; i < int32_t(stages); ++i) {
            AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(i);
            AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(i);
        }
    }

    // The sums of a tile. The unit flag lets `put` wait for them.
    __aicore__ inline void compute(const Tile& tile) {
        sums_stage_ = (sums_stage_ + 1) % sums_stages;
        if (!depth_) return nothing(tile);
        for (uint32_t first = 0; first < depth_; first += TileShape::K) stage(tile, first, least(TileShape::K, depth_ - first));
    }

    // The sums as elements of C, at `to`, whose rows lie `pitch` elements apart.
    template <class C>
    __aicore__ inline void put(const AscendC::GlobalTensor<C>& to, uint64_t pitch, const Tile& tile) const {
        AscendC::FixpipeParamsV220 out(tile.columns, tile.rows, up(tile.rows, fractal_edge), pitch, false);
        out.quantPre = narrowing<C>;
        out.unitFlag = 3;
        AscendC::Fixpipe<C, float, AscendC::CFG_ROW_MAJOR>(to, sums(), out);
    }

private:
    static constexpr uint32_t a_elements = TileShape::M * TileShape::K, b_elements = TileShape::N * TileShape::K;
    static constexpr uint32_t left_elements = TileShape::M * step, right_elements = TileShape::N * step;

    __aicore__ inline AscendC::LocalTensor<float> sums() const {
        constexpr uint32_t elements = TileShape::M * TileShape::N;
        return AscendC::LocalTensor<float>(AscendC::TPosition::CO1, sums_stage_ * elements * 4, elements);
    }
    __aicore__ inline AscendC::LocalTensor<Element> left() const {
        return AscendC::LocalTensor<Element>(AscendC::TPosition::A2, l0_ * left_elements * sizeof(Element), left_elements);
    }
    __aicore__ inline AscendC::LocalTensor<Element> right() const {
        return AscendC::LocalTensor<Element>(AscendC::TPosition::B2, l0_ * right_elements * sizeof(Element), right_elements);
    }

    __aicore__ inline void stage(const Tile& tile, uint32_t first, uint32_t depth) {
        OperandTile<Element, A::row_major> a(l1_ * a_elements * sizeof(Element), a_elements);
        OperandTile<Element, !B::row_major> b((stages * a_elements + l1_ * b_elements) * sizeof(Element), b_elements);
        AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(l1_);
        a.load(a_[A::row_major ? tile.row * a_pitch_ + first : first * a_pitch_ + tile.row], a_pitch_, tile.rows, depth);
        b.load(b_[B::row_major ? first * b_pitch_ + tile.column : tile.column * b_pitch_ + first], b_pitch_, tile.columns, depth);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(l1_);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(l1_);
        for (uint32_t part = 0; part < depth; part += step) {
            const uint32_t deep = least(step, depth - part), deep_up = up(deep, fractal_edge);
            AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(l0_);
            a.to_left(left(), part, deep_up);
            b.to_right(right(), part, deep_up);
            multiply(tile, deep, first + part == 0, first + part + deep == depth_);
        }
        AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(l1_);
        l1_ ^= 1;
    }

    __aicore__ inline void multiply(const Tile& tile, uint32_t deep, bool first, bool last) {
        AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(l0_);
        AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(l0_);
        // A single row would be read as a vector.
        AscendC::MmadParams params(tile.rows == 1 ? fractal_edge : tile.rows, tile.columns, deep, last ? 3 : 2, false, first);
        params.kDirectionAlign = sizeof(Element) == 4;
        AscendC::Mmad(sums(), left(), right(), params);
        // Additions to a tile of fewer than 10 fractals are not in order by themselves.
        if (up(tile.rows, fractal_edge) * up(tile.columns, fractal_edge) < 10 * fractal_edge * fractal_edge) AscendC::PipeBarrier<PIPE_M>();
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(l0_);
        l0_ ^= 1;
    }

    // Nothing to sum over: the product of zeros.
    __aicore__ inline void nothing(const Tile& tile) {
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(l0_);
        constexpr uint32_t fractals = fractal_edge / width_of<Element>;
        AscendC::InitConstValue(left(), AscendC::InitConstValueParams<Element>(TileShape::M / 16 * fractals, 1, 0, Element(0)));
        AscendC::InitConstValue(right(), AscendC::InitConstValueParams<Element>(TileShape::N / 16 * fractals, 1, 0, Element(0)));
        multiply(tile, fractal_edge, true, true);
    }

    AscendC::GlobalTensor<Element> a_, b_;
    uint64_t a_pitch_, b_pitch_;
    uint32_t depth_;
    uint32_t sums_stage_ = 0;
    int32_t l1_ = 0, l0_ = 0;
};

// Tiles that suit most sizes.
template <class A, class B>
using UsualProduct = Product<A, B, Shape<128, 256, 512 / sizeof(typename A::Element)>, 128 / sizeof(typename A::Element)>;

}  // namespace matmul
