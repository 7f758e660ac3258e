// What the scalar unit computes: extremes and multiples of lengths, bits of a word, the cycle counter.
#pragma once

#include <cmath>

#include "ascendc/base/traits.hpp"
#include "ascendc/sync/flags.hpp"

// Kernels name them without a namespace, and mix types.
template <class A, class B, class T = std::common_type_t<A, B>>
constexpr T min(A a, B b) { return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a); }
template <class A, class B, class T = std::common_type_t<A, B>>
constexpr T max(A a, B b) { return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a); }

namespace AscendC {

constexpr std::uint32_t AlignUp(std::uint32_t length, std::uint32_t unit) { return unit ? (length + unit - 1) / unit * unit : 0; }
constexpr std::uint32_t DivCeil(std::uint32_t length, std::uint32_t unit) { return unit ? (length + unit - 1) / unit : 0; }
constexpr std::uint32_t Ceil(std::uint32_t length, std::uint32_t unit) { return DivCeil(length, unit); }

// How many bits of a word equal `value`.
template <int value>
constexpr std::int64_t ScalarGetCountOfValue(std::uint64_t word) {
    static_assert(value == 0 || value == 1, "a bit is 0 or 1");
    const int ones = __builtin_popcountll(word);
    return value ? ones : 64 - ones;
}
constexpr std::int64_t ScalarCountLeadingZero(std::uint64_t word) { return word ? __builtin_clzll(word) : 64; }
// How many bits behind the sign are as the sign.
constexpr std::int64_t CountBitsCntSameAsSignBit(std::int64_t word) {
    const auto magnitude = static_cast<std::uint64_t>(word < 0 ? ~word : word);
    return ScalarCountLeadingZero(magnitude) - 1;
}
// The lowest bit that equals `value`; -1: none does.
template <int value>
constexpr std::int64_t ScalarGetSFFValue(std::uint64_t word) {
    static_assert(value == 0 || value == 1, "a bit is 0 or 1");
    const std::uint64_t wanted = value ? word : ~word;
    return wanted ? __builtin_ctzll(wanted) : -1;
}

// A number in another type: integers by the mode, saturated; half to the nearest.
template <class From, class To, RoundMode mode>
constexpr To ScalarCast(From value) {
    if constexpr (std::is_integral_v<To>) {
        const double number = static_cast<float>(value);
        if (number != number) return 0;
        double rounded = number;
        switch (mode) {
            case RoundMode::CAST_FLOOR: rounded = std::floor(number); break;
            case RoundMode::CAST_CEIL: rounded = std::ceil(number); break;
            case RoundMode::CAST_ROUND: rounded = std::round(number); break;
            case RoundMode::CAST_TRUNC: rounded = std::trunc(number); break;
            default: rounded = std::nearbyint(number);
        }
        const double low = static_cast<double>(std::numeric_limits<To>::min()), high = static_cast<double>(std::numeric_limits<To>::max());
        return rounded <= low ? std::numeric_limits<To>::min() : rounded >= high ? std::numeric_limits<To>::max() : static_cast<To>(rounded);
    } else {
        return static_cast<To>(static_cast<float>(value));
    }
}

// The counter of 50 MHz, by the model: cycles of the core at 1.8 GHz.
inline std::int64_t GetSystemCycle() { return static_cast<std::int64_t>(ascendc::current().scalar_time / 36); }

// Ends the kernel as a fault would.
[[noreturn]] inline void Trap(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().fail(ascendc::Rule::assertion, where, "the kernel asked for its end by Trap");
}

}  // namespace AscendC
