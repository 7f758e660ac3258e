// The division of a product between cores and within one, as the Matmul object reads it. The memories' sizes decide it alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ascendc/base/tiling_structures.hpp"
#include "ascendc/host/platform.hpp"

namespace matmul_tiling {

enum class TPosition { GM = 0, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, MAX };
enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, VECTOR, SCALAR };
enum class DataType {
    DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8, DT_INT64 = 9,
    DT_UINT64 = 10, DT_DOUBLE = 11, DT_BOOL = 12, DT_BF16 = 27, DT_BFLOAT16 = DT_BF16, DT_INT4 = 29
};
enum class MatrixTraverse { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };

constexpr std::int32_t bits_of(DataType type) {
    switch (type) {
        case DataType::DT_FLOAT: case DataType::DT_INT32: case DataType::DT_UINT32: return 32;
        case DataType::DT_INT8: case DataType::DT_UINT8: case DataType::DT_BOOL: return 8;
        case DataType::DT_INT4: return 4;
        default: return 16;
    }
}

class MatmulApiTiling {
public:
    MatmulApiTiling() = default;
    explicit MatmulApiTiling(const platform_ascendc::PlatformAscendC&) {}
    virtual ~MatmulApiTiling() = default;

    std::int32_t SetAType(TPosition, CubeFormat, DataType type, bool = false) { return a_ = type, 0; }
    std::int32_t SetBType(TPosition, CubeFormat, DataType type, bool = false) { return b_ = type, 0; }
    std::int32_t SetCType(TPosition, CubeFormat, DataType) { return 0; }
    std::int32_t SetBiasType(TPosition, CubeFormat, DataType) { return 0; }
    std::int32_t SetShape(std::int32_t m, std::int32_t n, std::int32_t k) { return single_m_ = m, single_n_ = n, single_k_ = k, 0; }
    std::int32_t SetSingleShape(std::int32_t m = -1, std::int32_t n = -1, std::int32_t k = -1) { return SetShape(m, n, k); }
    std::int32_t SetOrgShape(std::int32_t m, std::int32_t n, std::int32_t k) { return SetOrgShape(m, n, k, k); }
    std::int32_t SetOrgShape(std::int32_t m, std::int32_t n, std::int32_t ka, std::int32_t kb) { return m_ = m, n_ = n, ka_ = ka, kb_ = kb, 0; }
    std::int32_t SetFixSplit(std::int32_t m = -1, std::int32_t n = -1, std::int32_t k = -1) { return fixed_m_ = m, fixed_n_ = n, fixed_k_ = k, 0; }
    std::int32_t SetBufferSpace(std::int32_t l1 = -1, std::int32_t l0c = -1, std::int32_t = -1, std::int32_t = -1) {
        if (l1 > 0) l1_ = l1;
        if (l0c > 0) l0c_ = l0c;
        return 0;
    }
    std::int32_t SetBias(bool is_there = false) { return bias_ = is_there, 0; }
    std::int32_t EnableBias(bool is_there = false) { return SetBias(is_there); }
    std::int32_t SetTraverse(MatrixTraverse way) { return traverse_ = way, 0; }

    // 0, or -1: no tile of the shape that was asked for fits into the memories, or the shape is missing.
    virtual std::int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling) {
        complete();
        return divide(tiling, std::min(single_m_, m_), std::min(single_n_, n_), single_k_, 1);
    }
    std::int32_t GetBaseM() const { return base_m_; }
    std::int32_t GetBaseN() const { return base_n_; }
    std::int32_t GetBaseK() const { return base_k_; }

protected:
    static constexpr std::int32_t edge = 16, l0 = 65536;
    static std::int32_t up(std::int32_t n, std::int32_t unit) { return (n + unit - 1) / unit * unit; }

    // The whole shape is the part's where only that was given, and the other way round.
    void complete() {
        const auto either = [](std::int32_t& a, std::int32_t& b) { (a > 0 ? b : a) = a > 0 ? (b > 0 ? b : a) : b; };
        either(m_, single_m_);
        either(n_, single_n_);
        either(ka_, single_k_);
        if (kb_ <= 0) kb_ = ka_;
    }

    // Two stages of L0A and L0B each, sums in L0C, two stages in L1.
    std::int64_t divide(AscendC::tiling::TCubeTiling& tiling, std::int32_t m, std::int32_t n, std::int32_t k, std::int32_t cores) {
        const std::int32_t bits = std::max(bits_of(a_), bits_of(b_)), deep = 256 / std::min(bits_of(a_), bits_of(b_));
        if (m <= 0 || n <= 0 || k <= 0) return -1;
        base_m_ = fixed_m_ > 0 ? fixed_m_ : std::min(up(m, edge), 128);
        base_n_ = fixed_n_ > 0 ? fixed_n_ : std::min({up(n, edge), 256, l0c_ / 4 / up(base_m_, edge) / edge * edge});
        const std::int32_t widest = std::max(up(base_m_, edge), up(base_n_, edge));
        const std::int32_t most = std::min(l0 / 2 * 8 / bits / widest, l1_ / 4 * 8 / bits / widest) / deep * deep;
        base_k_ = fixed_k_ > 0 ? fixed_k_ : std::min(up(k, deep), most);
        if (base_n_ <= 0 || base_k_ <= 0 || base_k_ > most || up(base_m_, edge) * up(base_n_, edge) * 4 > l0c_) return -1;
        tiling = {};
        tiling.usedCoreNum = cores;
        tiling.M = m_, tiling.N = n_, tiling.Ka = ka_, tiling.Kb = kb_;
        tiling.singleCoreM = m, tiling.singleCoreN = n, tiling.singleCoreK = k;
        tiling.baseM = base_m_, tiling.baseN = base_n_, tiling.baseK = base_k_;
        tiling.depthA1 = tiling.depthB1 = 2;
        tiling.isBias = bias_;
        tiling.iterateOrder = traverse_ == MatrixTraverse::FIRSTN ? 1 : 0;
        tiling.shareL1Size = 2 * base_k_ * (up(base_m_, edge) + up(base_n_, edge)) * bits / 8;
        tiling.shareL0CSize = up(base_m_, edge) * up(base_n_, edge) * 4;
        return 0;
    }

    DataType a_ = DataType::DT_FLOAT16, b_ = DataType::DT_FLOAT16;
    std::int32_t m_ = -1, n_ = -1, ka_ = -1, kb_ = -1, single_m_ = -1, single_n_ = -1, single_k_ = -1;
    std::int32_t fixed_m_ = -1, fixed_n_ = -1, fixed_k_ = -1, base_m_ = 0, base_n_ = 0, base_k_ = 0;
    std::int32_t l1_ = 524288, l0c_ = 131072;
    bool bias_ = false;
    MatrixTraverse traverse_ = MatrixTraverse::NOSET;
};

// The same, divided between cores: rectangles of the result, so that the largest has as few elements as possible.
class MultiCoreMatmulTiling : public MatmulApiTiling {
public:
    using MatmulApiTiling::MatmulApiTiling;

    std::int32_t SetDim(std::int32_t cores) { return cores_ = cores, 0; }
    std::int32_t SetSingleRange(std::int32_t = -1, std::int32_t = -1, std::int32_t = -1, std::int32_t = -1, std::int32_t = -1, std::int32_t = -1) { return 0; }
    std::int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling) override {
        complete();
        if (m_ <= 0 || n_ <= 0 || cores_ <= 0) return -1;
        std::int64_t least = -1;
        std::int32_t m = 0, n = 0;
        for (std::int32_t down = 1; down <= cores_; ++down) {
            const std::int32_t rows = part(m_, down), columns = part(n_, cores_ / down);
            const std::int64_t work = std::int64_t{rows} * columns;
            if (least >= 0 && work >= least) continue;
            least = work, m = rows, n = columns;
        }
        m_cores_ = (m_ + m - 1) / m, n_cores_ = (n_ + n - 1) / n;
        return divide(tiling, m, n, ka_, m_cores_ * n_cores_);
    }
    std::int32_t GetCoreNum(std::int32_t& cores, std::int32_t& down, std::int32_t& across) const {
        return cores = m_cores_ * n_cores_, down = m_cores_, across = n_cores_, 0;
    }

private:
    static std::int32_t part(std::int32_t whole, std::int32_t parts) { return std::min(whole, up((whole + parts - 1) / parts, edge)); }

    std::int32_t cores_ = 1, m_cores_ = 1, n_cores_ = 1;
};

}  // namespace matmul_tiling

namespace optiling {
using AscendC::tiling::TCubeTiling;
}
