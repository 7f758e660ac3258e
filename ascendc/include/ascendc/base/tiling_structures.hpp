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

}  // namespace AscendC
