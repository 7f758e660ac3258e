// The row "cast": every dtype to every dtype, the narrow ones through their wide types.
#pragma once

#include <bit>
#include <cmath>

#include "ops/definition.hpp"

namespace asnumpy::ops {
namespace {

template <class List> struct AllCasts;
template <class... Ts> struct AllCasts<Types<Ts...>> {
    template <class From> using from = Loops<Ts(From)...>;
    using type = JoinLoops<from<Ts>...>;
};

// The casts of narrow types: to their wide type and back, and copies.
template <class List> struct NarrowCasts;
template <class... Ts> struct NarrowCasts<Types<Ts...>> {
    using type = Loops<Ts(typename Ts::wide)..., typename Ts::wide(Ts)..., Ts(Ts)...>;
};

// The float nearest to x, but odd in its last bit where that is inexact: rounding it again to a 16-bit float then gives
// what rounding x once would have given.
constexpr float round_to_odd(double x) {
    const float nearest = static_cast<float>(x);
    const double back = nearest;
    std::uint32_t word = std::bit_cast<std::uint32_t>(nearest);
    const double magnitude = x < 0 ? -x : x, reached = back < 0 ? -back : back;
    const bool inexact = (back != x) & (x == x);
    word -= inexact & (reached > magnitude) ? 1u : 0u;
    word |= inexact ? 1u : 0u;
    return std::bit_cast<float>(word);
}

// What a C cast does on this machine for values that fit, and the low bits of a wider integer for those that do not:
// -1.0 becomes the greatest unsigned value. The wide unsigned types are reached through their signed half.
template <class To, class From> constexpr To float_to_integer(From x) {
    if constexpr (std::is_same_v<From, long double> && sizeof(To) < 4) {
        return static_cast<To>(static_cast<std::conditional_t<std::is_same_v<To, std::uint16_t>, std::int32_t, std::int16_t>>(x));
    } else if constexpr (std::is_same_v<From, long double> && std::is_same_v<To, std::uint32_t>) {
        return static_cast<To>(static_cast<std::int64_t>(x));
    } else if constexpr (sizeof(To) < 4) {
        return static_cast<To>(static_cast<std::int32_t>(x));
    } else if constexpr (std::is_signed_v<To>) {
        return static_cast<To>(x);
    } else {
        using Half = std::make_signed_t<To>;
        constexpr From middle = sizeof(To) == 4 ? From(0x1p31) : From(0x1p63);
        const bool high = x >= middle;
        const To low = static_cast<To>(static_cast<Half>(high ? x - middle : x));
        return low ^ (high ? To{1} << (sizeof(To) * 8 - 1) : To{0});
    }
}

template <class To, class From> constexpr To convert(From x) {
    if constexpr (std::is_same_v<To, From>) {
        return x;
    } else if constexpr (is_narrow_v<From> || is_narrow_v<To>) {
        return static_cast<To>(x);
    } else if constexpr (is_complex_v<From>) {
        if constexpr (is_bool<To>) return (x.real() != 0) | (x.imag() != 0);
        else if constexpr (is_complex_v<To>)
            return {static_cast<typename To::value_type>(x.real()), static_cast<typename To::value_type>(x.imag())};
        else return convert<To>(x.real());
    } else if constexpr (is_complex_v<To>) {
        return {static_cast<typename To::value_type>(x), 0};
    } else if constexpr (is_bool<To>) {
        return x != 0;
    } else if constexpr (is_integer_type<To> && is_floating<From>) {
        return float_to_integer<To>(x);
    } else if constexpr (is_bool<From> && is_floating<To>) {
        return x ? To{1} : To{0};  // a choice is vectorised, the conversion of a bool is not
    } else {
        return static_cast<To>(x);
    }
}

// The 16-bit floats come and go as float.
constexpr std::tuple cast{
    row<JoinLoops<AllCasts<any_with_long>::type, NarrowCasts<narrow_types>::type>>("cast", []<class To, class From>(Result<To>, From x) {
        if constexpr (std::is_same_v<To, float16>) {
            if constexpr (std::is_same_v<From, double>) return round_to_odd(x);
            else if constexpr (std::is_same_v<From, std::complex<double>>) return round_to_odd(x.real());
            else return convert<float>(x);
        } else if constexpr (std::is_same_v<To, bfloat16>) {
            return convert<float>(x);
        } else {
            return convert<To>(x);
        }
    }, {.needs_result = true}),
};

}  // namespace
}  // namespace asnumpy::ops
