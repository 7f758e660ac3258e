// What the Matmul object is told: where its operands lie, how they are laid out, and how the work was divided.
#pragma once

#include "ascendc/tensor/global_tensor.hpp"

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, VECTOR, SCALAR, ND_ALIGN };
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {

using ::CubeFormat;
using ::LayoutMode;

namespace tiling {

// Fifty numbers in the order of the device's structure; what divides the work within a core has no effect on values.
struct TCubeTiling {
    std::int32_t usedCoreNum = 1, M = 0, N = 0, Ka = 0, Kb = 0, singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
    std::int32_t baseM = 16, baseN = 16, baseK = 16, depthA1 = 1, depthB1 = 1, stepM = 1, stepN = 1, isBias = 0, transLength = 0;
    std::int32_t iterateOrder = 0, shareMode = 0, shareL1Size = 0, shareL0CSize = 0, shareUbSize = 0, batchM = 1, batchN = 1;
    std::int32_t singleBatchM = 1, singleBatchN = 1, stepKa = 1, stepKb = 1, depthAL1CacheUB = 0, depthBL1CacheUB = 0;
    std::int32_t dbL0A = 2, dbL0B = 2, dbL0C = 1;
    std::int32_t ALayoutInfoB = 0, ALayoutInfoS = 0, ALayoutInfoN = 0, ALayoutInfoG = 0, ALayoutInfoD = 0;
    std::int32_t BLayoutInfoB = 0, BLayoutInfoS = 0, BLayoutInfoN = 0, BLayoutInfoG = 0, BLayoutInfoD = 0;
    std::int32_t CLayoutInfoB = 0, CLayoutInfoS1 = 0, CLayoutInfoN = 0, CLayoutInfoG = 0, CLayoutInfoS2 = 0;
    std::int32_t BatchNum = 0, reserved = 0;
};
static_assert(sizeof(TCubeTiling) == 50 * sizeof(std::int32_t), "the device reads fifty numbers");

}  // namespace tiling
using tiling::TCubeTiling;

template <TPosition position, CubeFormat layout, class Type, bool transposed = false, LayoutMode mode = LayoutMode::NONE, bool shared = false,
          TPosition from = TPosition::GM>
struct MatmulType {
    static constexpr TPosition pos = position;
    static constexpr CubeFormat format = layout;
    using T = Type;
    static constexpr bool isTrans = transposed;
    static constexpr LayoutMode layoutMode = mode;
    static constexpr bool ibShare = shared;
    static constexpr TPosition srcPos = from;
};

// How the device goes about a product: nothing here changes a value.
struct MatmulConfig {
    bool doNorm = true;
    bool doBasicBlock = false;
    bool doMultiDataLoad = false;
    std::uint32_t basicM = 0;
    std::uint32_t basicN = 0;
    std::uint32_t basicK = 0;
    bool intrinsicsCheck = false;
    bool isNBatch = false;
    bool enVecND2NZ = false;
    bool doSpecialBasicBlock = false;
    std::uint32_t doMTE2Preload = 0;
    std::uint32_t singleCoreM = 0;
    std::uint32_t singleCoreN = 0;
    std::uint32_t singleCoreK = 0;
    std::uint32_t stepM = 0;
    std::uint32_t stepN = 0;
    std::uint32_t baseMN = 0;
    std::uint32_t singleCoreMN = 0;
    bool enUnitFlag = false;
    bool isPerTensor = false;
    bool hasAntiQuantOffset = false;
    bool doIBShareNorm = false;
    bool doSpecialMDL = false;
    bool enableInit = true;
    bool enableEnd = true;
    bool enableGetTensorC = true;
    bool enableSetOrgShape = true;
    bool enableSetBias = true;
    bool enableSetTail = true;
    bool enableQuantVector = true;
    bool enableSetDefineData = true;
    bool isPartialOutput = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
};
template <class... Options>
constexpr MatmulConfig GetNormalConfig(Options...) { return {}; }
template <class... Options>
constexpr MatmulConfig GetMDLConfig(Options...) {
    MatmulConfig config;
    config.doNorm = false;
    config.doMultiDataLoad = true;
    return config;
}
template <class... Options>
constexpr MatmulConfig GetSpecialMDLConfig(Options...) { return GetMDLConfig(); }
template <class... Options>
constexpr MatmulConfig GetIBShareNormConfig(Options...) { return {}; }
template <class... Options>
constexpr MatmulConfig GetBasicConfig(Options...) { return {}; }
inline constexpr MatmulConfig CFG_NORM = GetNormalConfig();
inline constexpr MatmulConfig CFG_MDL = GetMDLConfig();
inline constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
inline constexpr MatmulConfig MM_CFG_BB = GetBasicConfig();

}  // namespace AscendC

using AscendC::tiling::TCubeTiling;

namespace matmul {
using AscendC::CFG_IBSHARE_NORM;
using AscendC::CFG_MDL;
using AscendC::CFG_NORM;
using AscendC::MM_CFG_BB;
using AscendC::GetBasicConfig;
using AscendC::GetIBShareNormConfig;
using AscendC::GetMDLConfig;
using AscendC::GetNormalConfig;
using AscendC::GetSpecialMDLConfig;
using AscendC::MatmulConfig;
using AscendC::MatmulType;
}  // namespace matmul
