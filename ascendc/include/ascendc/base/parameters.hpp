// Parameters of vector instructions and of copies: fields in the order of their constructors, with the device's defaults.
// A stride of blocks counts 32 bytes. Kernels pass them in braces, so that a class has exactly the constructors that the
// device's header has: one more, and a call has two meanings.
#pragma once

#include <cstdint>

#include "ascendc/base/enumerations.hpp"

namespace AscendC {

struct BinaryRepeatParams {
    std::uint32_t blockNumber = 8;
    std::uint8_t dstBlkStride = 1;
    std::uint8_t src0BlkStride = 1;
    std::uint8_t src1BlkStride = 1;
    std::uint8_t dstRepStride = 8;
    std::uint8_t src0RepStride = 8;
    std::uint8_t src1RepStride = 8;

    BinaryRepeatParams() = default;
    BinaryRepeatParams(std::uint8_t dst_block, std::uint8_t src0_block, std::uint8_t src1_block, std::uint8_t dst_repeat,
                       std::uint8_t src0_repeat, std::uint8_t src1_repeat)
        : dstBlkStride(dst_block), src0BlkStride(src0_block), src1BlkStride(src1_block), dstRepStride(dst_repeat),
          src0RepStride(src0_repeat), src1RepStride(src1_repeat) {}
};

struct UnaryRepeatParams {
    std::uint32_t blockNumber = 8;
    std::uint16_t dstBlkStride = 1;
    std::uint16_t srcBlkStride = 1;
    std::uint8_t dstRepStride = 8;
    std::uint8_t srcRepStride = 8;
    bool halfBlock = false;

    UnaryRepeatParams() = default;
    UnaryRepeatParams(std::uint16_t dst_block, std::uint16_t src_block, std::uint8_t dst_repeat, std::uint8_t src_repeat)
        : dstBlkStride(dst_block), srcBlkStride(src_block), dstRepStride(dst_repeat), srcRepStride(src_repeat) {}
    UnaryRepeatParams(std::uint16_t dst_block, std::uint16_t src_block, std::uint8_t dst_repeat, std::uint8_t src_repeat, bool half_block)
        : dstBlkStride(dst_block), srcBlkStride(src_block), dstRepStride(dst_repeat), srcRepStride(src_repeat), halfBlock(half_block) {}
};

struct CopyRepeatParams {
    std::uint16_t dstStride = 0;
    std::uint16_t srcStride = 0;
    std::uint16_t dstRepeatSize = 8;
    std::uint16_t srcRepeatSize = 8;

    CopyRepeatParams() = default;
    CopyRepeatParams(std::uint16_t dst, std::uint16_t src, std::uint16_t dst_repeat, std::uint16_t src_repeat)
        : dstStride(dst), srcStride(src), dstRepeatSize(dst_repeat), srcRepeatSize(src_repeat) {}
};

struct BrcbRepeatParams {
    std::uint16_t dstBlkStride = 1;
    std::uint16_t dstRepStride = 8;

    BrcbRepeatParams() = default;
    BrcbRepeatParams(std::uint16_t dst_block, std::uint16_t dst_repeat) : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}
};

struct GatherRepeatParams {
    std::uint8_t dstBlkStride = 1;
    std::uint16_t dstRepStride = 8;

    GatherRepeatParams() = default;
    GatherRepeatParams(std::uint8_t dst_block, std::uint16_t dst_repeat) : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}
};

struct GatherMaskParams {
    std::uint8_t src0BlockStride = 1;
    std::uint16_t repeatTimes = 0;
    std::uint16_t src0RepeatStride = 8;
    std::uint8_t src1RepeatStride = 8;

    GatherMaskParams() = default;
    GatherMaskParams(std::uint8_t src0_block, std::uint16_t repeat, std::uint16_t src0_repeat, std::uint8_t src1_repeat)
        : src0BlockStride(src0_block), repeatTimes(repeat), src0RepeatStride(src0_repeat), src1RepeatStride(src1_repeat) {}
};

// Lengths and gaps, from the end of one block to the head of the next, count 32 bytes; with DataCopyPad, bytes on the global side.
struct DataCopyParams {
    std::uint16_t blockCount = 1;
    std::uint16_t blockLen = 0;
    union {
        std::uint16_t srcStride = 0;
        std::uint16_t srcGap;
    };
    union {
        std::uint16_t dstStride = 0;
        std::uint16_t dstGap;
    };

    DataCopyParams() = default;
    DataCopyParams(std::uint16_t count, std::uint16_t length, std::uint16_t src, std::uint16_t dst)
        : blockCount(count), blockLen(length), srcStride(src), dstStride(dst) {}
};

struct DataCopyExtParams {
    std::uint16_t blockCount = 1;
    std::uint32_t blockLen = 0;
    std::uint32_t srcStride = 0;
    std::uint32_t dstStride = 0;
    std::uint32_t rsv = 0;

    DataCopyExtParams() = default;
    DataCopyExtParams(std::uint16_t count, std::uint32_t length, std::uint32_t src, std::uint32_t dst, std::uint32_t reserved)
        : blockCount(count), blockLen(length), srcStride(src), dstStride(dst), rsv(reserved) {}
};

struct DataCopyPadParams {
    bool isPad = false;
    std::uint8_t leftPadding = 0;
    std::uint8_t rightPadding = 0;
    std::uint64_t paddingValue = 0;

    DataCopyPadParams() = default;
    DataCopyPadParams(bool pad, std::uint8_t left, std::uint8_t right, std::uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

template <class T>
struct DataCopyPadExtParams {
    bool isPad = false;
    std::uint8_t leftPadding = 0;
    std::uint8_t rightPadding = 0;
    T paddingValue{};

    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(bool pad, std::uint8_t left, std::uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

struct Nd2NzParams {
    std::uint16_t ndNum = 0;
    std::uint16_t nValue = 0;
    std::uint16_t dValue = 0;
    std::uint16_t srcNdMatrixStride = 0;
    std::uint16_t srcDValue = 0;
    std::uint16_t dstNzC0Stride = 0;
    std::uint16_t dstNzNStride = 0;
    std::uint16_t dstNzMatrixStride = 0;

    Nd2NzParams() = default;
    Nd2NzParams(std::uint16_t matrices, std::uint16_t rows, std::uint16_t columns, std::uint16_t src_matrix, std::uint16_t src_row,
                std::uint16_t dst_c0, std::uint16_t dst_row, std::uint16_t dst_matrix)
        : ndNum(matrices), nValue(rows), dValue(columns), srcNdMatrixStride(src_matrix), srcDValue(src_row), dstNzC0Stride(dst_c0),
          dstNzNStride(dst_row), dstNzMatrixStride(dst_matrix) {}
};

struct Nz2NdParamsFull {
    std::uint16_t ndNum = 1;
    std::uint16_t nValue = 0;
    std::uint16_t dValue = 0;
    std::uint16_t srcNdMatrixStride = 1;
    std::uint16_t srcNStride = 0;
    std::uint16_t dstDStride = 0;
    std::uint16_t dstNdMatrixStride = 1;

    Nz2NdParamsFull() = default;
    Nz2NdParamsFull(std::uint16_t matrices, std::uint16_t rows, std::uint16_t columns, std::uint16_t src_matrix, std::uint16_t src_row,
                    std::uint16_t dst_row, std::uint16_t dst_matrix)
        : ndNum(matrices), nValue(rows), dValue(columns), srcNdMatrixStride(src_matrix), srcNStride(src_row), dstDStride(dst_row),
          dstNdMatrixStride(dst_matrix) {}
};

struct SliceInfo {
    std::uint32_t startIndex = 0;
    std::uint32_t endIndex = 31;
    std::uint32_t stride = 0;
    std::uint32_t burstLen = 32;
    std::uint32_t shapeValue = 0;

    SliceInfo() = default;
    SliceInfo(std::uint32_t start, std::uint32_t end, std::uint32_t gap, std::uint32_t burst, std::uint32_t shape = 0)
        : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape) {}
};

struct DataCopyEnhancedParams {
    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    DeqScale deqScale = DeqScale::DEQ_NONE;
    std::uint64_t deqValue = 0;
    std::uint8_t sidStoreMode = 0;
    bool isRelu = false;
    pad_t padMode = pad_t::PAD_NONE;
    std::uint64_t padValue = 0;
};

struct TransDataTo5HDParams {
    bool dstHighHalf = false;
    bool srcHighHalf = false;
    std::uint8_t repeatTimes = 1;
    std::uint16_t dstRepStride = 0;
    std::uint16_t srcRepStride = 0;

    TransDataTo5HDParams() = default;
    TransDataTo5HDParams(bool dst_high, bool src_high, std::uint8_t repeat, std::uint16_t dst_repeat, std::uint16_t src_repeat)
        : dstHighHalf(dst_high), srcHighHalf(src_high), repeatTimes(repeat), dstRepStride(dst_repeat), srcRepStride(src_repeat) {}
};

struct TransposeParamsExt {
    std::uint16_t nSize = 0;
    std::uint16_t cSize = 0;
    std::uint16_t hSize = 0;
    std::uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;

    TransposeParamsExt() = default;
    TransposeParamsExt(std::uint16_t n, std::uint16_t c, std::uint16_t h, std::uint16_t w, TransposeType type)
        : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}
};

struct MrgSort4Info {
    std::uint16_t elementLengths[4] = {0, 0, 0, 0};
    bool ifExhaustedSuspension = false;
    std::uint16_t validBit = 0;
    std::uint8_t repeatTimes = 1;

    MrgSort4Info() = default;
    MrgSort4Info(const std::uint16_t lengths[4], bool suspend, std::uint16_t valid, std::uint16_t repeat)
        : elementLengths{lengths[0], lengths[1], lengths[2], lengths[3]}, ifExhaustedSuspension(suspend), validBit(valid),
          repeatTimes(static_cast<std::uint8_t>(repeat)) {}
};

struct VdeqInfo {
    float vdeqScale[16] = {};
    std::int16_t vdeqOffset[16] = {};
    bool vdeqSignMode[16] = {};
};

struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    std::uint32_t bufferLen = 0;
    std::uint32_t bufferNumber = 0;
    std::uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

}  // namespace AscendC
