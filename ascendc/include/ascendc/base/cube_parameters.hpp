// Parameters of the cube core's instructions: fields in the order of their constructors, with the device's defaults. As in
// parameters.hpp, a class has exactly the constructors that the device's header has.
#pragma once

#include <cstdint>

#include "ascendc/base/enumerations.hpp"

namespace AscendC {

// Counts and gaps in fractals of 512 bytes.
struct LoadData2DParams {
    std::uint16_t startIndex = 0;
    std::uint8_t repeatTimes = 0;
    std::uint16_t srcStride = 0;
    std::uint8_t sid = 0;
    std::uint16_t dstGap = 0;
    bool ifTranspose = false;
    std::uint8_t addrMode = 0;

    LoadData2DParams() = default;
    LoadData2DParams(std::uint16_t start, std::uint8_t repeat, std::uint16_t src, std::uint8_t stream, std::uint16_t gap, bool transpose,
                     std::uint8_t mode)
        : startIndex(start), repeatTimes(repeat), srcStride(src), sid(stream), dstGap(gap), ifTranspose(transpose), addrMode(mode) {}
};
using LoadData2dParams = LoadData2DParams;

struct LoadData2dTransposeParams {
    std::uint16_t startIndex = 0;
    std::uint8_t repeatTimes = 0;
    std::uint16_t srcStride = 0;
    std::uint16_t dstGap = 0;
    std::uint16_t dstFracGap = 0;
    std::uint8_t addrMode = 0;

    LoadData2dTransposeParams() = default;
    LoadData2dTransposeParams(std::uint16_t start, std::uint8_t repeat, std::uint16_t src, std::uint16_t gap, std::uint16_t fractal_gap,
                              std::uint8_t mode)
        : startIndex(start), repeatTimes(repeat), srcStride(src), dstGap(gap), dstFracGap(fractal_gap), addrMode(mode) {}
    LoadData2dTransposeParams(std::uint16_t start, std::uint8_t repeat, std::uint16_t src, std::uint16_t gap, std::uint16_t fractal_gap)
        : LoadData2dTransposeParams(start, repeat, src, gap, fractal_gap, 0) {}
};

// padList: left, right, top, bottom.
template <class T>
struct LoadData3DParamsV2 {
    std::uint8_t padList[4] = {0, 0, 0, 0};
    std::uint16_t l1H = 0;
    std::uint16_t l1W = 0;
    std::uint16_t channelSize = 0;
    std::uint16_t kExtension = 0;
    std::uint16_t mExtension = 0;
    std::uint16_t kStartPt = 0;
    std::uint16_t mStartPt = 0;
    std::uint8_t strideW = 1;
    std::uint8_t strideH = 1;
    std::uint8_t filterW = 1;
    std::uint8_t filterH = 1;
    std::uint8_t dilationFilterW = 1;
    std::uint8_t dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue{};
    bool filterSizeW = false;  // 256 more
    bool filterSizeH = false;
    bool fMatrixCtrl = false;  // the right matrix's registers

    LoadData3DParamsV2() = default;
    LoadData3DParamsV2(const std::uint8_t padding[4], std::uint16_t height, std::uint16_t width, std::uint16_t channels, std::uint16_t k,
                       std::uint16_t m, std::uint16_t k_start, std::uint16_t m_start, std::uint8_t stride_w, std::uint8_t stride_h,
                       std::uint8_t filter_w, std::uint8_t filter_h, std::uint8_t dilation_w, std::uint8_t dilation_h, bool transpose,
                       bool small_k, T value)
        : padList{padding[0], padding[1], padding[2], padding[3]}, l1H(height), l1W(width), channelSize(channels), kExtension(k),
          mExtension(m), kStartPt(k_start), mStartPt(m_start), strideW(stride_w), strideH(stride_h), filterW(filter_w), filterH(filter_h),
          dilationFilterW(dilation_w), dilationFilterH(dilation_h), enTranspose(transpose), enSmallK(small_k), padValue(value) {}
    LoadData3DParamsV2(const std::uint8_t padding[4], std::uint16_t height, std::uint16_t width, std::uint16_t channels, std::uint16_t k,
                       std::uint16_t m, std::uint16_t k_start, std::uint16_t m_start, std::uint8_t stride_w, std::uint8_t stride_h,
                       std::uint8_t filter_w, std::uint8_t filter_h, std::uint8_t dilation_w, std::uint8_t dilation_h, bool transpose,
                       bool small_k, T value, bool wide, bool high, bool right)
        : LoadData3DParamsV2(padding, height, width, channels, k, m, k_start, m_start, stride_w, stride_h, filter_w, filter_h, dilation_w,
                             dilation_h, transpose, small_k, value) {
        filterSizeW = wide;
        filterSizeH = high;
        fMatrixCtrl = right;
    }
};

// Registers of the instruction itself, packed: k and m extensions and starts; strides, filter and dilations.
struct LoadData3DParamsV2Pro {
    std::uint16_t channelSize = 0;
    bool enTranspose = false;
    bool enSmallK = false;
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    std::uint64_t extConfig = 0;
    std::uint64_t filterConfig = 0x10101010101ull;

    LoadData3DParamsV2Pro() = default;
    LoadData3DParamsV2Pro(std::uint16_t channels, bool transpose, bool small_k, bool wide, bool high, bool right, std::uint64_t extensions,
                          std::uint64_t filter)
        : channelSize(channels), enTranspose(transpose), enSmallK(small_k), filterSizeW(wide), filterSizeH(high), fMatrixCtrl(right),
          extConfig(extensions), filterConfig(filter) {}
};

struct IsResetLoad3dConfig {
    bool isSetFMatrix = true;
    bool isSetPadding = true;

    constexpr IsResetLoad3dConfig() = default;
    constexpr IsResetLoad3dConfig(bool matrix, bool padding) : isSetFMatrix(matrix), isSetPadding(padding) {}
};
inline constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

struct LoadDataRepeatParam {
    std::uint16_t repeatStride = 0;
    std::uint8_t repeatTime = 1;
    std::uint8_t repeatMode = 0;

    LoadDataRepeatParam() = default;
    LoadDataRepeatParam(std::uint16_t stride, std::uint8_t times, std::uint8_t mode) : repeatStride(stride), repeatTime(times), repeatMode(mode) {}
};

struct MmadParams {
    std::uint16_t m = 0;
    std::uint16_t n = 0;
    std::uint16_t k = 0;
    bool isBias = false;
    std::int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    std::int8_t unitFlag = 0;
    bool kDirectionAlign = false;
    bool cmatrixSource = false;
    bool cmatrixInitVal = true;

    MmadParams() = default;
    MmadParams(std::uint16_t rows, std::uint16_t columns, std::uint16_t depth) : m(rows), n(columns), k(depth) {}
    MmadParams(std::uint16_t rows, std::uint16_t columns, std::uint16_t depth, bool bias, std::int32_t offset, bool sparse, bool winograd_a,
               bool winograd_b)
        : m(rows), n(columns), k(depth), isBias(bias), fmOffset(offset), enSsparse(sparse), enWinogradA(winograd_a), enWinogradB(winograd_b) {}
    MmadParams(std::uint16_t rows, std::uint16_t columns, std::uint16_t depth, std::uint8_t unit, bool source, bool initial)
        : m(rows), n(columns), k(depth), unitFlag(static_cast<std::int8_t>(unit)), cmatrixSource(source), cmatrixInitVal(initial) {}
};

// Blocks and gaps of 32 bytes in L1, of 512 in L0A and L0B.
template <class T>
struct InitConstValueParams {
    std::uint16_t repeatTimes = 0;
    std::uint16_t blockNum = 0;
    std::uint16_t dstGap = 0;
    T initValue{};

    InitConstValueParams() = default;
    InitConstValueParams(std::uint16_t repeat, std::uint16_t blocks, std::uint16_t gap, T value)
        : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value) {}
    InitConstValueParams(std::uint16_t repeat, T value) : repeatTimes(repeat), initValue(value) {}
};

struct FixpipeConfig {
    CO2Layout format = CO2Layout::ROW_MAJOR;
};
inline constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
inline constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
    std::uint16_t nSize = 0;
    std::uint16_t mSize = 0;
    std::uint16_t srcStride = 0;
    std::uint32_t dstStride = 0;
    bool reluEn = false;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    std::uint64_t deqScalar = 0;
    std::uint16_t ndNum = 1;
    std::uint16_t srcNdStride = 0;
    std::uint16_t dstNdStride = 0;
    std::uint8_t unitFlag = 0;
    bool isChannelSplit = false;

    FixpipeParamsV220() = default;
    FixpipeParamsV220(std::uint16_t columns, std::uint16_t rows, std::uint16_t src, std::uint32_t dst, bool relu)
        : nSize(columns), mSize(rows), srcStride(src), dstStride(dst), reluEn(relu) {}
    FixpipeParamsV220(std::uint16_t columns, std::uint16_t rows, std::uint16_t src, std::uint32_t dst, bool relu, QuantMode_t mode,
                      std::uint64_t scalar, std::uint16_t matrices, std::uint16_t src_matrix, std::uint16_t dst_matrix, std::uint8_t unit)
        : nSize(columns), mSize(rows), srcStride(src), dstStride(dst), reluEn(relu), quantPre(mode), deqScalar(scalar), ndNum(matrices),
          srcNdStride(src_matrix), dstNdStride(dst_matrix), unitFlag(unit) {}
};

struct QuantParams {
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    std::uint64_t deqScalar = 0;

    QuantParams() = default;
    QuantParams(QuantMode_t mode) : quantPre(mode) {}
    QuantParams(QuantMode_t mode, std::uint64_t scalar) : quantPre(mode), deqScalar(scalar) {}
};
struct Nz2NdParams {
    bool nz2ndEn = false;
    std::uint16_t ndNum = 1;
    std::uint16_t srcNdStride = 0;
    std::uint16_t dstNdStride = 0;
    std::uint16_t originalNSize = 0;

    Nz2NdParams() = default;
    Nz2NdParams(bool row_major, std::uint16_t matrices, std::uint16_t src, std::uint16_t dst, std::uint16_t columns)
        : nz2ndEn(row_major), ndNum(matrices), srcNdStride(src), dstNdStride(dst), originalNSize(columns) {}
};
// The older form: columns of 16 elements (`cburstNum`), each `burstLen` blocks of 32 bytes of sums. Gaps lie between the end of a column and
// the next one; of rows, where nz2ndEn is set, dstStride is the pitch.
template <class T = std::int32_t>
struct FixpipeParams {
    std::uint16_t cburstNum = 0;
    std::uint16_t burstLen = 1;
    std::uint16_t srcStride = 0;
    std::uint32_t dstStride = 0;
    QuantParams quantParams;
    bool reluEn = false;
    Nz2NdParams nz2ndParams;
    std::uint8_t unitFlag = 0;

    FixpipeParams() = default;
    FixpipeParams(std::uint16_t columns, std::uint16_t length, std::uint16_t src, std::uint32_t dst)
        : cburstNum(columns), burstLen(length), srcStride(src), dstStride(dst) {}
};

struct DataCopyCO12DstParams {
    std::uint8_t sid = 0;
    std::uint16_t nSize = 0;
    std::uint16_t mSize = 0;
    std::uint32_t dstStride = 0;
    std::uint16_t srcStride = 0;
    std::uint8_t unitFlag = 0;
    std::uint8_t clipReluPre = 0;
    std::uint8_t eltWiseOp = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    std::uint8_t reluPre = 0;
    bool channelSplit = false;
    bool nz2ndEn = false;

    DataCopyCO12DstParams() = default;
    DataCopyCO12DstParams(std::uint16_t columns, std::uint16_t rows, std::uint32_t dst, std::uint16_t src, QuantMode_t mode, std::uint8_t relu,
                          bool split, bool row_major)
        : nSize(columns), mSize(rows), dstStride(dst), srcStride(src), quantPre(mode), reluPre(relu), channelSplit(split), nz2ndEn(row_major) {}
};

}  // namespace AscendC
