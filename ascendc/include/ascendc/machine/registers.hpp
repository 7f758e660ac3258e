// A core's registers that instructions set for those after them.
#pragma once

#include <array>
#include <cstdint>

#include "ascendc/base/enumerations.hpp"
#include "ascendc/machine/finding.hpp"

namespace ascendc {

// What a copy to global memory does with what is there.
enum class Atomic : std::uint8_t { none, add, max, min };
enum class Element : std::uint8_t { none, int8, int16, int32, half, bfloat16, float32 };

struct Mask {
    std::uint64_t high = ~0ull;
    std::uint64_t low = ~0ull;
};

// value * scale + offset, as a signed or an unsigned byte.
struct Dequantisation {
    float scale = 0;
    std::int16_t offset = 0;
    bool is_signed = false;
};

// Those that the vector unit changes in its own order. The kernel's entry state: normal mode, all lanes.
struct VectorRegisters {
    Mask mask;
    bool counter = false;       // the mask's low word counts elements
    std::array<std::uint8_t, 16> compared{};  // CMPMASK
    std::array<std::uint8_t, 16> compared_unwritten{};  // bits of it that were computed from what nobody wrote
    std::uint64_t kept = 0;              // GatherMask's count
    std::array<std::uint32_t, 4> merged{};  // MrgSort's counts
    double reduced = 0;                  // the last maximum or minimum
    std::uint64_t reduced_index = 0;
    bool reduced_unwritten = false;
    double summed = 0;                   // the last sum
    bool summed_unwritten = false;
};

// And those that the scalar unit sets for what it issues.
struct Registers : VectorRegisters {
    bool keeps_infinity = true;  // results beyond the range of half and bfloat16 are infinite; false: they saturate
    Atomic atomic = Atomic::none;
    Element atomic_type = Element::none;
    Where atomic_set;  // by the last instruction that switched it on
    float dequantisation = 0;
    bool dequantisation_set = false;
    std::array<Dequantisation, 16> dequantisations{};  // of int16_t, by lane of a block
    std::uint64_t padding_value = 0;
    std::uint64_t load_padding = 0;
    bool hf32 = false;
    bool hf32_round = false;
    std::uint64_t quantisation = 0;
    std::uint64_t quantisation_vector = 0;  // its address in FB
    bool quantisation_vector_set = false;
    std::uint32_t nd_count = 1;
    std::uint32_t nd_source_stride = 0;
    std::uint32_t nd_target_stride = 0;
    std::array<std::uint16_t, 2> matrix_height{};  // SetFmatrix: left, right
    std::array<std::uint16_t, 2> matrix_width{};
    std::array<std::array<std::uint8_t, 4>, 2> matrix_padding{};
};

}  // namespace ascendc
