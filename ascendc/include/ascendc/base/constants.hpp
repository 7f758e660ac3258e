// Sizes and limits of a 910B core, and the constants that kernels name.
#pragma once

#include <cstdint>

namespace AscendC {

constexpr std::int32_t DEFAULT_BLK_NUM = 8;
constexpr std::int32_t DEFAULT_BLK_STRIDE = 1;
constexpr std::uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr std::uint16_t ONE_BLK_SIZE = 32;
constexpr std::uint16_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr std::int32_t MAX_REPEAT_TIMES = 255;
constexpr std::int32_t DEFAULT_C0_SIZE = 32;
constexpr std::int32_t BLOCK_CUBE = 16;
constexpr std::int32_t ONE_BLK_FLOAT_NUM = 8;
constexpr std::int32_t ONE_BLK_HALF_NUM = 16;
constexpr std::uint32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr std::uint32_t TMP_UB_SIZE = 8 * 1024;
constexpr std::uint32_t TMP_UB_OFFSET = TOTAL_UB_SIZE - TMP_UB_SIZE;
constexpr std::uint32_t TOTAL_VEC_LOCAL_SIZE = TOTAL_UB_SIZE - TMP_UB_SIZE;
constexpr std::uint32_t TOTAL_L1_SIZE = 512 * 1024 - 128;
constexpr std::uint32_t TOTAL_L0A_SIZE = 64 * 1024;
constexpr std::uint32_t TOTAL_L0B_SIZE = 64 * 1024;
constexpr std::uint32_t TOTAL_L0C_SIZE = 128 * 1024;
constexpr std::int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
constexpr std::uint64_t MASK_PLACEHOLDER = 0;
constexpr std::uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
constexpr std::int32_t QUE_MAX_EVENT = 8;

constexpr std::uint32_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
constexpr std::uint32_t GetVecLen() { return ONE_REPEAT_BYTE_SIZE; }
constexpr std::uint32_t GetUBSizeInBytes() { return TOTAL_UB_SIZE; }

}  // namespace AscendC

// A kernel may define it as 0 before the first include: then its tensors carry no shape.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 8
#endif

namespace ascendc {

constexpr std::uint32_t block_bytes = 32;
constexpr std::uint32_t repeat_bytes = 256;
constexpr std::uint32_t fractal_bytes = 512;
constexpr unsigned event_ids = 8;

}  // namespace ascendc
