// Division by a number that repeats: a multiplication by its reciprocal (Granlund and Montgomery, "Division by invariant integers
// using multiplication"), with the bits of the machine's own division.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/integer.hpp"

namespace asnumpy::ops {
namespace {

template <std::size_t bytes> struct DoubleWidthOf;
template <> struct DoubleWidthOf<1> { using type = std::uint16_t; using signed_type = std::int16_t; };
template <> struct DoubleWidthOf<2> { using type = std::uint32_t; using signed_type = std::int32_t; };
template <> struct DoubleWidthOf<4> { using type = std::uint64_t; using signed_type = std::int64_t; };
template <> struct DoubleWidthOf<8> {
    __extension__ using type = unsigned __int128;
    __extension__ using signed_type = __int128;
};
template <class T> using DoubleWidth = typename DoubleWidthOf<sizeof(T)>::type;

template <class T> constexpr T high_product(T x, T y) {
    using Product = std::conditional_t<std::is_signed_v<T>, typename DoubleWidthOf<sizeof(T)>::signed_type, DoubleWidth<T>>;
    return static_cast<T>(static_cast<Product>(static_cast<Product>(x) * static_cast<Product>(y)) >> (8 * sizeof(T)));
}

template <class T> class Divider {
    using U = std::make_unsigned_t<T>;
    static constexpr int width = std::numeric_limits<U>::digits;

public:
    explicit constexpr Divider(T divisor) : divisor_(divisor) {  // not 0
        using D = DoubleWidth<T>;
        const U size = static_cast<U>(wrap_absolute(divisor));
        const int bits = std::bit_width(static_cast<U>(size - 1));  // size <= 2 ** bits
        // The reciprocal times 2 ** (width + shift) is this number and 2 ** width, which `quotient` adds.
        if constexpr (std::is_signed_v<T>) {
            shift_ = bits > 0 ? bits - 1 : 0;
            reciprocal_ = static_cast<T>(static_cast<D>(D{1} << (width + shift_)) / size + 1);
        } else {
            first_shift_ = bits > 0 ? 1 : 0;
            shift_ = bits - first_shift_;
            reciprocal_ = static_cast<T>(static_cast<D>(((D{1} << bits) - size) << width) / size + 1);
        }
    }

    constexpr T divisor() const { return divisor_; }

    // Towards zero; the least value by -1 wraps.
    constexpr T quotient(T x) const {
        const T high = high_product(reciprocal_, x);
        if constexpr (std::is_signed_v<T>) {
            const T size = wrap_subtract(static_cast<T>(wrap_add(x, high) >> shift_), static_cast<T>(x >> (width - 1)));
            const T sign = static_cast<T>(divisor_ >> (width - 1));
            return wrap_subtract(static_cast<T>(size ^ sign), sign);
        } else {
            return static_cast<T>(wrap_add(high, static_cast<T>(wrap_subtract(x, high) >> first_shift_)) >> shift_);
        }
    }

private:
    T divisor_, reciprocal_;
    int shift_ = 0, first_shift_ = 0;
};

// The product of a byte with 2 ** 16 / divisor, rounded up, has the quotient as its upper half: no lane is shifted.
template <> class Divider<std::uint8_t> {
public:
    explicit constexpr Divider(std::uint8_t divisor) : divisor_(divisor) {  // not 0
        const bool one = divisor == 1;  // whose reciprocal has 17 bits
        reciprocal_ = static_cast<std::uint16_t>(one ? 0 : 0x10000 / divisor + 1);
        added_ = one ? 0xff : 0;
    }

    constexpr std::uint8_t divisor() const { return divisor_; }
    constexpr std::uint8_t quotient(std::uint8_t x) const {
        return static_cast<std::uint8_t>(high_product<std::uint16_t>(x, reciprocal_) + (x & added_));
    }

private:
    std::uint8_t divisor_, added_ = 0;
    std::uint16_t reciprocal_ = 0;
};

template <class T> constexpr T truncated_remainder(T x, const Divider<T>& y) { return wrap_subtract(x, wrap_multiply(y.quotient(x), y.divisor())); }

template <class T> constexpr T floor_divide(T x, const Divider<T>& y) {
    if constexpr (std::is_signed_v<T>) {  // a quotient below zero is one less than that of the neighbour towards zero
        const bool negative = y.divisor() < 0;
        const T below = negative ? x > 0 : x < 0;
        return wrap_subtract(y.quotient(wrap_add(x, negative ? wrap_negative(below) : below)), below);
    } else {
        return y.quotient(x);
    }
}

template <class T> constexpr T floor_remainder(T x, const Divider<T>& y) { return wrap_subtract(x, wrap_multiply(floor_divide(x, y), y.divisor())); }

}  // namespace
}  // namespace asnumpy::ops
