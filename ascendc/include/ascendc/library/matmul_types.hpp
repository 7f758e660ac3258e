// What the Matmul object is told: where its operands lie, how they are laid out, and how the work was divided.
#pragma once

#include "ascendc/base/tiling_structures.hpp"
#include "ascendc/tensor/global_tensor.hpp"

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, VECTOR, SCALAR, ND_ALIGN };
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {

using ::CubeFormat;
using ::LayoutMode;

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
// Kernels name them without a namespace, too.
using AscendC::CFG_IBSHARE_NORM;
using AscendC::CFG_MDL;
using AscendC::CFG_NORM;
using AscendC::MatmulConfig;

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

constexpr std::int32_t CeilDiv(std::int32_t whole, std::int32_t part) { return part == 0 ? whole : (whole + part - 1) / part; }
}  // namespace matmul
