// The library's functions to their hosts: temporaries and tilings. Here a function takes one repeat as a temporary, and no tiling
// divides its work.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "ascendc/base/constants.hpp"
#include "ascendc/base/tiling_structures.hpp"
#include "ascendc/host/platform.hpp"

namespace ge {

// The numbers of a tensor's types and layouts, as everywhere in the device's software.
enum DataType {
    DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8, DT_INT64 = 9,
    DT_UINT64 = 10, DT_DOUBLE = 11, DT_BOOL = 12, DT_COMPLEX64 = 16, DT_COMPLEX128 = 17, DT_BF16 = 27, DT_UNDEFINED = 28, DT_INT4 = 29
};
enum Format { FORMAT_NCHW = 0, FORMAT_NHWC = 1, FORMAT_ND = 2, FORMAT_NC1HWC0 = 3, FORMAT_FRACTAL_Z = 4, FORMAT_FRACTAL_NZ = 29 };

class Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<std::int64_t> extents) : extents_(extents) {}
    explicit Shape(std::vector<std::int64_t> extents) : extents_(std::move(extents)) {}
    std::vector<std::int64_t> GetDims() const { return extents_; }
    std::size_t GetDimNum() const { return extents_.size(); }
    std::int64_t GetDim(std::size_t axis) const { return axis < extents_.size() ? extents_[axis] : 0; }
    std::int64_t GetShapeSize() const {
        std::int64_t size = 1;
        for (const std::int64_t extent : extents_) size *= extent;
        return size;
    }

private:
    std::vector<std::int64_t> extents_;
};

}  // namespace ge

namespace ascendc {

// At most what a function could use: as much again as its operand has.
inline void temporary_sizes(const ge::Shape& shape, std::uint32_t width, std::uint32_t& most, std::uint32_t& least) {
    least = AscendC::ONE_REPEAT_BYTE_SIZE;
    const auto bytes = static_cast<std::uint32_t>(shape.GetShapeSize()) * width;
    most = bytes > least ? (bytes + 31) / 32 * 32 : least;
}

}  // namespace ascendc

namespace AscendC {

#define ASCENDC_TEMPORARY(Name)                                                                                                          \
    inline void Get##Name##MaxMinTmpSize(const ge::Shape& shape, std::uint32_t width, bool, std::uint32_t& most, std::uint32_t& least) { \
        ascendc::temporary_sizes(shape, width, most, least);                                                                             \
    }                                                                                                                                    \
    inline void Get##Name##TmpBufferFactorSize(std::uint32_t, std::uint32_t& nodes, std::uint32_t& extra) {                              \
        nodes = 0;                                                                                                                       \
        extra = ONE_REPEAT_BYTE_SIZE;                                                                                                    \
    }
ASCENDC_TEMPORARY(Acos) ASCENDC_TEMPORARY(Acosh) ASCENDC_TEMPORARY(Asin) ASCENDC_TEMPORARY(Asinh) ASCENDC_TEMPORARY(Atan)
ASCENDC_TEMPORARY(Atanh) ASCENDC_TEMPORARY(Ceil) ASCENDC_TEMPORARY(Cos) ASCENDC_TEMPORARY(Cosh) ASCENDC_TEMPORARY(Digamma)
ASCENDC_TEMPORARY(Erf) ASCENDC_TEMPORARY(Erfc) ASCENDC_TEMPORARY(Exp) ASCENDC_TEMPORARY(Floor) ASCENDC_TEMPORARY(Frac)
ASCENDC_TEMPORARY(Gelu) ASCENDC_TEMPORARY(Lgamma) ASCENDC_TEMPORARY(Log) ASCENDC_TEMPORARY(Power) ASCENDC_TEMPORARY(Round)
ASCENDC_TEMPORARY(Sigmoid) ASCENDC_TEMPORARY(Sign) ASCENDC_TEMPORARY(Silu) ASCENDC_TEMPORARY(Sin) ASCENDC_TEMPORARY(Sinh)
ASCENDC_TEMPORARY(SwiGLU) ASCENDC_TEMPORARY(Swish) ASCENDC_TEMPORARY(Tan) ASCENDC_TEMPORARY(Tanh) ASCENDC_TEMPORARY(Trunc)
ASCENDC_TEMPORARY(AscendQuant) ASCENDC_TEMPORARY(CumSum) ASCENDC_TEMPORARY(Sum)
#undef ASCENDC_TEMPORARY

// Records of eight bytes for a full sort; Concat moves nothing on this chip.
inline std::uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, std::uint32_t elements, std::uint32_t) { return elements * 8; }
inline std::uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, std::uint32_t, std::uint32_t) { return ONE_BLK_SIZE; }

// Rows of the last axis.
inline void SoftMaxTilingFunc(const ge::Shape& shape, std::uint32_t width, std::uint32_t, SoftMaxTiling& tiling) {
    const auto columns = static_cast<std::uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    const std::uint32_t rows = columns ? static_cast<std::uint32_t>(shape.GetShapeSize()) / columns : 0, block = ONE_BLK_SIZE / width;
    tiling = {};
    tiling.srcM = tiling.splitM = tiling.outMaxM = tiling.reduceM = rows;
    tiling.srcK = tiling.splitK = columns;
    tiling.srcSize = tiling.splitSize = rows * columns;
    tiling.outMaxK = tiling.reduceK = block;
    tiling.outMaxSize = tiling.reduceSize = rows * block;
    tiling.rangeM = 1;
}
inline std::uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& shape, std::uint32_t width, bool) {
    std::uint32_t most = 0, least = 0;
    ascendc::temporary_sizes(shape, width, most, least);
    return most;
}
inline std::uint32_t GetSoftMaxMinTmpSize(const ge::Shape& shape, std::uint32_t width, bool) {
    std::uint32_t most = 0, least = 0;
    ascendc::temporary_sizes(shape, width, most, least);
    return least;
}

}  // namespace AscendC
