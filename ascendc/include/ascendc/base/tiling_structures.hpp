// What a host tells the library's functions about the division of their work, as both sides read it.
#pragma once

#include <cstdint>

namespace AscendC {

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

struct SoftMaxTiling {
    std::uint32_t srcM = 0, srcK = 0, srcSize = 0, outMaxM = 0, outMaxK = 0, outMaxSize = 0, splitM = 0, splitK = 0, splitSize = 0;
    std::uint32_t reduceM = 0, reduceK = 0, reduceSize = 0, rangeM = 0, tailM = 0, tailSplitSize = 0, tailReduceSize = 0;
};

enum class TopKMode : std::uint8_t { TOPK_NORMAL = 0, TOPK_NSMALL };
struct TopkTiling {
    std::int32_t tmpLocalSize = 0, allDataSize = 0, innerDataSize = 0, sortRepeat = 0, mrgSortRepeat = 0, kAlignFourBytes = 0;
    std::int32_t kAlignTwoBytes = 0, maskOffset = 0, maskVreducev2FourBytes = 0, maskVreducev2TwoBytes = 0, mrgSortSrc1offset = 0;
    std::int32_t mrgSortSrc2offset = 0, mrgSortSrc3offset = 0, mrgSortTwoQueueSrc1Offset = 0, mrgFourQueueTailPara1 = 0;
    std::int32_t mrgFourQueueTailPara2 = 0, srcIndexOffset = 0, copyUbToUbBlockCount = 0, topkMrgSrc1MaskSizeOffset = 0;
    std::int32_t topkNSmallSrcIndexOffset = 0, vreduceValMask0 = 0, vreduceValMask1 = 0, vreduceIdxMask0 = 0, vreduceIdxMask1 = 0;
    std::int32_t vreducehalfValMask0 = 0, vreducehalfValMask1 = 0, vreducehalfValMask2 = 0, vreducehalfValMask3 = 0, vreducehalfValMask4 = 0;
    std::int32_t vreducehalfValMask5 = 0, vreducehalfValMask6 = 0, vreducehalfValMask7 = 0;
};

struct LayerNormTiling {
    std::uint32_t bLength = 0, sLength = 0, hLength = 0, originalHLength = 0, inputXSize = 0, meanVarSize = 0, numberOfTmpBuf = 0;
    std::uint32_t meanTmpTensorPos = 0, meanTmpTensorSize = 0, varianceTmpTensorPos = 0, varianceTmpTensorSize = 0, tmpBufSize = 0;
    std::uint32_t oneTmpSize = 0, firstTmpStartPos = 0, secondTmpStartPos = 0, thirdTmpStartPos = 0, loopRound = 0, inputRoundSize = 0;
    std::uint32_t inputTailSize = 0, inputTailPos = 0, meanVarRoundSize = 0, meanVarTailSize = 0, meanVarTailPos = 0, bshCurLength = 0;
    std::uint32_t bsCurLength = 0;
    float lastDimValueBack = 0;
};
struct RmsNormTiling {
    std::uint32_t bLength = 0, sLength = 0, hLength = 0, originalHLength = 0;
    float reciprocalOfHLength = 0;
    std::uint32_t mainBshLength = 0, mainBsLength = 0, mainBsLengthAlign = 0, loopRound = 0, inputTailPos = 0, tailBshLength = 0, tailBsLength = 0;
};
struct LayerNormSeparateTiling {
    std::uint32_t aLength = 0, rLength = 0, halfAddRepeatTimes = 0, rHeadLength = 0;
    float k2Rec = 0, k2RRec = 0;
    std::uint32_t inputXSize = 0, meanVarSize = 0, numberOfTmpBuf = 0, varianceTmpTensorPos = 0, varianceTmpTensorSize = 0, tmpBufSize = 0;
    std::uint32_t oneTmpSize = 0, firstTmpStartPos = 0, secondTmpStartPos = 0, thirdTmpStartPos = 0, loopRound = 0, inputRoundSize = 0;
    std::uint32_t inputTailSize = 0, inputTailPos = 0, meanVarRoundSize = 0, meanVarTailSize = 0, meanVarTailPos = 0, arCurLength = 0;
    std::uint32_t aCurLength = 0;
    float rValueBack = 0;
};
struct LayerNormGradTiling {
    std::uint32_t bLength = 0, sLength = 0, hLength = 0, originalBLength = 0, originalSLength = 0, originalHLength = 0;
};
struct LayerNormGradBetaTiling {
    std::uint32_t bLength = 0, sLength = 0, hLength = 0, originalHLength = 0;
};

struct PadTiling {
    std::uint32_t srcHeight = 0, srcWidth = 0, srcOriWidth = 0, widthWithoutLastBlock = 0, blocksPerRow = 0, heightTiling = 0;
    std::uint32_t heightFractal = 0, heightFractalTail = 0, mainLoopOffset = 0, tailBlockOffset = 0, tmpBuffer1BlockNum = 0;
    std::uint32_t tmpBuffer1RowNum = 0, tmpBuffer2Offset = 0, widthTiling = 0, widthFractal = 0, widthFractalTail = 0, brcbTiling = 0;
    std::uint32_t brcbFractal = 0, brcbFractalTail = 0, maxRepeatTimes = 0, brcbTilingRepeatTimes = 0, brcbTilingRepeatTimesTail = 0;
};
struct UnPadTiling {
    std::uint32_t srcHeight = 0, srcWidth = 0, tmpBuffer1BlockNum = 0, tmpBuffer1RowNum = 0, tmpBuffer2Offset = 0, widthTiling = 0;
    std::uint32_t widthFractal = 0, widthFractalTail = 0;
};

}  // namespace AscendC

// As hosts name them.
namespace optiling {
using AscendC::LayerNormGradBetaTiling;
using AscendC::LayerNormGradTiling;
using AscendC::LayerNormSeparateTiling;
using AscendC::LayerNormTiling;
using AscendC::PadTiling;
using AscendC::RmsNormTiling;
using AscendC::SoftMaxTiling;
using AscendC::TopkTiling;
using AscendC::UnPadTiling;
}  // namespace optiling
