// Tilings of the library's functions for their hosts: the shape, since nothing here divides their work.
#pragma once

#include "ascendc/host/library_tiling.hpp"

namespace ascendc {

inline std::uint32_t extent(const ge::Shape& shape, std::size_t axis) { return static_cast<std::uint32_t>(shape.GetDim(axis)); }
inline std::uint32_t last_extent(const ge::Shape& shape) { return shape.GetDimNum() ? extent(shape, shape.GetDimNum() - 1) : 0; }

// (B, S, H), as the functions that normalise take it.
template <class Tiling>
void set_rows(const ge::Shape& shape, const ge::Shape& original, Tiling& tiling) {
    tiling = {};
    tiling.bLength = extent(shape, 0);
    tiling.sLength = extent(shape, 1);
    tiling.hLength = extent(shape, 2);
    tiling.originalHLength = original.GetDimNum() > 2 ? extent(original, 2) : tiling.hLength;
}

}  // namespace ascendc

namespace AscendC {

inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, std::int32_t inner, std::int32_t outer, bool, bool, TopKMode, bool,
                                 std::uint32_t width, std::uint32_t& most, std::uint32_t& least) {
    ascendc::temporary_sizes({outer, inner}, width, most, least);
    return inner > 0 && outer > 0;
}
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&, std::int32_t inner, std::int32_t outer, std::int32_t k, std::uint32_t width,
                           bool, TopKMode, bool, TopkTiling& tiling) {
    if (inner <= 0 || inner % 32 || outer <= 0 || k <= 0 || k > inner || (width != 2 && width != 4)) return false;
    tiling = {};
    tiling.allDataSize = inner * outer;
    tiling.innerDataSize = inner;
    tiling.sortRepeat = inner / 32;
    tiling.kAlignFourBytes = (k + 7) / 8 * 8;
    tiling.kAlignTwoBytes = (k + 15) / 16 * 16;
    return true;
}

inline void GetLayerNormMaxMinTmpSize(const ge::Shape& shape, std::uint32_t width, bool, std::uint32_t& most, std::uint32_t& least) {
    ascendc::temporary_sizes(shape, width, most, least);
}
inline void GetLayerNormNDTilingInfo(const ge::Shape& shape, std::uint32_t, std::uint32_t, bool, LayerNormTiling& tiling) {
    ascendc::set_rows(shape, shape, tiling);
    tiling.inputXSize = static_cast<std::uint32_t>(shape.GetShapeSize());
    tiling.meanVarSize = tiling.bLength * tiling.sLength;
    tiling.lastDimValueBack = tiling.hLength ? 1.0f / static_cast<float>(tiling.hLength) : 0.0f;
}
inline void GetLayerNormGradMaxMinTmpSize(const ge::Shape& shape, std::uint32_t width, bool, std::uint32_t& most, std::uint32_t& least) {
    ascendc::temporary_sizes(shape, width, most, least);
}
inline void GetLayerNormGradNDTilingInfo(const ge::Shape shape, std::uint32_t, std::uint32_t, bool, LayerNormGradTiling& tiling) {
    ascendc::set_rows(shape, shape, tiling);
    tiling.originalBLength = tiling.bLength;
    tiling.originalSLength = tiling.sLength;
}
inline void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape& shape, std::uint32_t width, bool, std::uint32_t& most, std::uint32_t& least) {
    ascendc::temporary_sizes(shape, width, most, least);
}
inline void GetLayerNormGradBetaNDTilingInfo(const ge::Shape shape, std::uint32_t, std::uint32_t, bool, LayerNormGradBetaTiling& tiling) {
    ascendc::set_rows(shape, shape, tiling);
}

inline bool GetRmsNormMaxMinTmpSize(const ge::Shape& shape, std::uint32_t width, std::uint32_t& most, std::uint32_t& least, bool = false) {
    ascendc::temporary_sizes(shape, width, most, least);
    return true;
}
inline bool GetRmsNormTilingInfo(const ge::Shape& shape, const ge::Shape& original, std::uint32_t, std::uint32_t, RmsNormTiling& tiling,
                                 bool = false) {
    if (shape.GetDimNum() != 3) return false;
    ascendc::set_rows(shape, original, tiling);
    tiling.reciprocalOfHLength = tiling.originalHLength ? 1.0f / static_cast<float>(tiling.originalHLength) : 0.0f;
    return true;
}

inline void SoftMaxFlashTilingFunc(const ge::Shape& shape, std::uint32_t width, std::uint32_t local, SoftMaxTiling& tiling, bool = false) {
    SoftMaxTilingFunc(shape, width, local, tiling);
}
inline void SoftMaxFlashV2TilingFunc(const ge::Shape& shape, std::uint32_t width, std::uint32_t, std::uint32_t local, SoftMaxTiling& tiling,
                                     bool, bool = false) {
    SoftMaxTilingFunc(shape, width, local, tiling);
}
inline void SoftMaxGradTilingFunc(const ge::Shape& shape, std::uint32_t width, std::uint32_t local, SoftMaxTiling& tiling, bool = false) {
    SoftMaxTilingFunc(shape, width, local, tiling);
}
inline std::uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& shape, std::uint32_t width, bool, bool) {
    return GetSoftMaxMaxTmpSize(shape, width, false);
}
inline std::uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& shape, std::uint32_t width, bool, bool) {
    return GetSoftMaxMinTmpSize(shape, width, false);
}

inline void GetPadMaxMinTmpSize(const ge::Shape& shape, std::uint32_t width, std::uint32_t& most, std::uint32_t& least) {
    ascendc::temporary_sizes(shape, width, most, least);
}
inline void PadTilingFunc(const ge::Shape& shape, const ge::Shape& original, std::uint32_t, std::uint32_t, PadTiling& tiling) {
    tiling = {};
    tiling.srcHeight = ascendc::extent(shape, 0);
    tiling.srcWidth = ascendc::last_extent(shape);
    tiling.srcOriWidth = ascendc::last_extent(original);
}
inline void UnPadTilingFunc(const ge::Shape& shape, std::uint32_t, std::uint32_t, UnPadTiling& tiling) {
    tiling = {};
    tiling.srcHeight = ascendc::extent(shape, 0);
    tiling.srcWidth = ascendc::last_extent(shape);
}

}  // namespace AscendC
