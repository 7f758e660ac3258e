// The element types: one list, from which sizes, names, kinds and the C++ type of each follow.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/float16.hpp"
#include "base/narrow_types.hpp"

namespace asnumpy {

enum class DType : std::uint8_t {
    boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64,
    float16, bfloat16, float32, float64, longdouble, complex64, complex128, clongdouble,
    int4, uint4, int2, uint2, uint1, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float6_e2m3fn, float6_e3m2fn,
    float4_e2m1fn, float4_e1m2fn, hifloat8, complex32,
};
inline constexpr int dtype_count = 31;

template <DType> struct type_of;
template <class> struct dtype_of;
// One line per type: the enumerator, its C++ type, its name, its kind letter.
#define ASNUMPY_DTYPES(each)                                   \
    each(boolean, bool, "bool", 'b')                           \
    each(int8, std::int8_t, "int8", 'i')                       \
    each(uint8, std::uint8_t, "uint8", 'u')                    \
    each(int16, std::int16_t, "int16", 'i')                    \
    each(uint16, std::uint16_t, "uint16", 'u')                 \
    each(int32, std::int32_t, "int32", 'i')                    \
    each(uint32, std::uint32_t, "uint32", 'u')                 \
    each(int64, std::int64_t, "int64", 'i')                    \
    each(uint64, std::uint64_t, "uint64", 'u')                 \
    each(float16, ::asnumpy::float16, "float16", 'f')          \
    each(bfloat16, ::asnumpy::bfloat16, "bfloat16", 'f')       \
    each(float32, float, "float32", 'f')                       \
    each(float64, double, "float64", 'f')                      \
    each(longdouble, long double, "longdouble", 'f')           \
    each(complex64, std::complex<float>, "complex64", 'c')     \
    each(complex128, std::complex<double>, "complex128", 'c')  \
    each(clongdouble, std::complex<long double>, "clongdouble", 'c') \
    each(int4, ::asnumpy::int4, "int4", 'i')                   \
    each(uint4, ::asnumpy::uint4, "uint4", 'u')                \
    each(int2, ::asnumpy::int2, "int2", 'i')                   \
    each(uint2, ::asnumpy::uint2, "uint2", 'u')                \
    each(uint1, ::asnumpy::uint1, "uint1", 'u')                \
    each(float8_e4m3fn, ::asnumpy::float8_e4m3fn, "float8_e4m3fn", 'f')    \
    each(float8_e5m2, ::asnumpy::float8_e5m2, "float8_e5m2", 'f')          \
    each(float8_e8m0fnu, ::asnumpy::float8_e8m0fnu, "float8_e8m0fnu", 'f') \
    each(float6_e2m3fn, ::asnumpy::float6_e2m3fn, "float6_e2m3fn", 'f')    \
    each(float6_e3m2fn, ::asnumpy::float6_e3m2fn, "float6_e3m2fn", 'f')    \
    each(float4_e2m1fn, ::asnumpy::float4_e2m1fn, "float4_e2m1fn", 'f')    \
    each(float4_e1m2fn, ::asnumpy::float4_e1m2fn, "float4_e1m2fn", 'f')    \
    each(hifloat8, ::asnumpy::hifloat8, "hifloat8", 'f')                   \
    each(complex32, ::asnumpy::complex32, "complex32", 'c')

#define ASNUMPY_EACH(e, T, name, kind)                                          \
    template <> struct type_of<DType::e> { using type = T; };                   \
    template <> struct dtype_of<T> { static constexpr DType value = DType::e; };
ASNUMPY_DTYPES(ASNUMPY_EACH)
#undef ASNUMPY_EACH

template <DType D> using type_of_t = typename type_of<D>::type;
template <class T> inline constexpr DType dtype_of_v = dtype_of<T>::value;

struct DTypeInfo {
    std::string_view name;
    char kind;  // b bool, i signed, u unsigned, f float, c complex
    std::uint8_t itemsize;
    std::uint8_t alignment;
};

inline constexpr std::array<DTypeInfo, dtype_count> dtype_table{{
#define ASNUMPY_EACH(e, T, name, kind) DTypeInfo{name, kind, sizeof(T), alignof(T)},
    ASNUMPY_DTYPES(ASNUMPY_EACH)
#undef ASNUMPY_EACH
}};

constexpr const DTypeInfo& info(DType d) { return dtype_table[static_cast<std::size_t>(d)]; }
constexpr std::size_t itemsize(DType d) { return info(d).itemsize; }
constexpr std::string_view name(DType d) { return info(d).name; }
constexpr char kind(DType d) { return info(d).kind; }
constexpr bool is_complex(DType d) { return kind(d) == 'c'; }
constexpr bool is_float(DType d) { return kind(d) == 'f'; }
constexpr bool is_half(DType d) { return d == DType::float16 || d == DType::bfloat16; }
constexpr bool is_integer(DType d) { return kind(d) == 'i' || kind(d) == 'u'; }

template <class T> inline constexpr bool is_half_v = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
template <class> inline constexpr bool is_complex_v = false;
template <class T> inline constexpr bool is_complex_v<std::complex<T>> = true;

// The narrow types are held and converted, not computed with: `wide` is the type through which their casts go.
template <class> inline constexpr bool is_narrow_v = false;
template <class T> requires requires { typename T::wide; } inline constexpr bool is_narrow_v<T> = true;
constexpr bool is_narrow(DType d) { return d >= DType::int4; }

// Calls f.template operator()<T>() with the C++ type of d.
template <class F> decltype(auto) dispatch(DType d, F&& f) {
    switch (d) {
#define ASNUMPY_EACH(e, T, name, kind) \
    case DType::e: return std::forward<F>(f).template operator()<T>();
        ASNUMPY_DTYPES(ASNUMPY_EACH)
#undef ASNUMPY_EACH
    }
    __builtin_unreachable();
}

// One value of any dtype, in native representation.
struct Scalar {
    DType dtype = DType::boolean;
    alignas(16) std::array<std::byte, 32> bytes{};

    template <class T> static Scalar of(T value) {
        Scalar s;
        s.dtype = dtype_of_v<T>;
        *reinterpret_cast<T*>(s.bytes.data()) = value;
        return s;
    }
    template <class T> T get() const { return *reinterpret_cast<const T*>(bytes.data()); }
};

}  // namespace asnumpy
