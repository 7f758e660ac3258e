// How a table defines a row: the signatures as types, the names, and the scalar definition as a lambda.
// Everything that a kernel can instantiate lives in unnamed namespaces: the same templates are compiled for several
// instruction sets, and the linker must never take the AVX-512 copy of one for a machine without it.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/dtype.hpp"
#include "ops/row.hpp"

namespace asnumpy::ops {
namespace {

// The e of a reducible row with op(e, x) == x. `lowest` and `highest` are infinite where the dtype has infinities;
// the last two are NaN where it has one.
enum class Neutral : std::uint8_t { none, zero, one, all_bits, lowest, highest, nan_or_lowest, nan_or_highest };

// A function that others have for whole runs of float32 or float64 (NumPy, the C library): loops call it where there is one.
enum class Vector : std::uint8_t {
    none, exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh,
    cbrt, pow, atan2, hypot, erf, erfc,
};

// For which operands a definition is no straight line: it calls a function that is compiled elsewhere, loops or branches, and
// no compiler vectorises a loop that has it among others.
enum class Alone : std::uint8_t { never, complex, always };

struct Options {
    std::string_view symbol{};
    Neutral neutral = Neutral::none;
    Vector vector = Vector::none;
    bool storage = false;        // the 16-bit floats arrive as they are stored, not as float
    bool light = false;          // loading the operands costs more than the row: pairs of such rows have loops of their own
    bool costly = false;         // the row costs more than loading its operands one by one: vectors pay though these must be gathered
    bool needs_result = false;   // the first parameter is Result<R>: the loop's result type decides
    Bits bits = Bits::values;
    bool low_bits = false;       // see Row
    bool divides = false;        // of integers: takes a Divider for the second operand, too
    Alone alone = Alone::never;
};

// A loop is a function type: int8(int8, int8), bool(float), Two<float, int>(float).
template <class A, class B> struct Two {
    A first;
    B second;
};
template <class... Functions> struct Loops {};
template <class... Ts> struct Types {};

template <class List, class F> struct Definition {
    using loops = List;
    std::string_view name;
    F apply;
    Options options;
};

// apply takes the operands by value (16-bit floats as float) and gives the result.
template <class R> struct Result { using type = R; };

template <class List, class F>
constexpr Definition<List, F> row(std::string_view name, F apply, Options options = {}) {
    return {name, apply, options};
}

template <class...> struct JoinedTypes;
template <class... A> struct JoinedTypes<Types<A...>> { using type = Types<A...>; };
template <class... A, class... B, class... Rest>
struct JoinedTypes<Types<A...>, Types<B...>, Rest...> : JoinedTypes<Types<A..., B...>, Rest...> {};
template <class... Lists> using JoinTypes = typename JoinedTypes<Lists...>::type;

template <class...> struct JoinedLoops;
template <class... A> struct JoinedLoops<Loops<A...>> { using type = Loops<A...>; };
template <class... A, class... B, class... Rest>
struct JoinedLoops<Loops<A...>, Loops<B...>, Rest...> : JoinedLoops<Loops<A..., B...>, Rest...> {};
template <class... Lists> using JoinLoops = typename JoinedLoops<Lists...>::type;

template <template <class> class Form, class List> struct EachOf;
template <template <class> class Form, class... Ts> struct EachOf<Form, Types<Ts...>> { using type = Loops<Form<Ts>...>; };
// One loop per type: Each<Binary, integers> is int8(int8, int8), uint8(uint8, uint8), ...
template <template <class> class Form, class List> using Each = typename EachOf<Form, List>::type;

template <class T> using Unary = T(T);
template <class T> using Binary = T(T, T);
template <class T> using Predicate = bool(T);
template <class T> using Comparison = bool(T, T);
template <class T> using Part = typename T::value_type(T);  // of a complex type
template <class T> using UnaryTwo = Two<T, T>(T);
template <class T> using BinaryTwo = Two<T, T>(T, T);

// The types in the order in which NumPy tries them.
using boolean = Types<bool>;
using integers = Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                       std::uint64_t>;
using ieee_floats = Types<float16, float, double>;
using floats = Types<float16, bfloat16, float, double>;
using long_float = Types<long double>;
using complexes = Types<std::complex<float>, std::complex<double>>;
using long_complex = Types<std::complex<long double>>;
using reals = JoinTypes<integers, floats>;
using inexact = JoinTypes<floats, complexes>;
using numbers = JoinTypes<integers, floats, complexes>;
using any_real = JoinTypes<boolean, reals>;
using any_type = JoinTypes<boolean, numbers>;
using narrow_types = Types<int4, uint4, int2, uint2, uint1, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float6_e2m3fn,
                           float6_e3m2fn, float4_e2m1fn, float4_e1m2fn, hifloat8, complex32>;
using any_with_long = JoinTypes<boolean, integers, floats, long_float, complexes, long_complex>;

template <class T> inline constexpr bool is_bool = std::is_same_v<T, bool>;
template <class T> inline constexpr bool is_integer_type = std::is_integral_v<T> && !is_bool<T>;
template <class T> inline constexpr bool is_floating = std::is_floating_point_v<T>;

// From a loop's function type to its Signature.
template <class Function> struct SignatureOf;
template <class R, class... A> struct SignatureOf<R(A...)> {
    static constexpr Signature value{sizeof...(A), 1, {dtype_of_v<A>...}, {dtype_of_v<R>}};
};
template <class R, class S, class... A> struct SignatureOf<Two<R, S>(A...)> {
    static constexpr Signature value{sizeof...(A), 2, {dtype_of_v<A>...}, {dtype_of_v<R>, dtype_of_v<S>}};
};
template <class> struct SignaturesOf;
template <class... Functions> struct SignaturesOf<Loops<Functions...>> {
    static constexpr std::array<Signature, sizeof...(Functions)> value{SignatureOf<Functions>::value...};
};

}  // namespace
}  // namespace asnumpy::ops
