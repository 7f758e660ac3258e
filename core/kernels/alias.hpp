// Which loops are those of another dtype, bit by bit: they are compiled once. It follows from what the row says of its bits.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "ops/definition.hpp"

namespace asnumpy::cpu {
namespace {

using ops::is_integer_type;

template <class T> struct SignedOf { using type = T; };
template <class T> requires is_integer_type<T> struct SignedOf<T> { using type = std::make_signed_t<T>; };
template <class T> using Signed = typename SignedOf<T>::type;

// The integer that moves as T does. A bool stays one, since loading it makes it 0 or 1; elements of 16 bytes have no integer.
template <class T> struct MovedOf { using type = T; };
template <class T> requires(!ops::is_bool<T> && sizeof(T) == 1) struct MovedOf<T> { using type = std::uint8_t; };
template <class T> requires(sizeof(T) == 2) struct MovedOf<T> { using type = std::uint16_t; };
template <class T> requires(sizeof(T) == 4) struct MovedOf<T> { using type = std::uint32_t; };
template <class T> requires(sizeof(T) == 8) struct MovedOf<T> { using type = std::uint64_t; };
template <class T> using Moved = typename MovedOf<T>::type;

// A conversion's result has the same bits for both signs, and so has an operand that is no narrower; floats become integers of
// less than four bytes through int32 (ops/cast.hpp).
template <class To, class From> constexpr auto conversion() {
    constexpr bool through_int32 = sizeof(To) < 4 && !is_narrow_v<From> && !ops::is_bool<From> && !std::is_same_v<From, long double> &&
                                   !std::is_same_v<From, std::complex<long double>>;
    if constexpr (std::is_same_v<To, From>) return std::type_identity<Moved<To>(Moved<To>)>();
    else if constexpr (is_integer_type<To> && is_integer_type<From> && sizeof(To) == sizeof(From)) return std::type_identity<Moved<To>(Moved<To>)>();
    else if constexpr (is_integer_type<To> && is_integer_type<From> && sizeof(To) < sizeof(From)) return std::type_identity<Signed<To>(Signed<From>)>();
    else if constexpr (is_integer_type<To> && (is_integer_type<From> || through_int32)) return std::type_identity<Signed<To>(From)>();
    else return std::type_identity<To(From)>();
}

template <class First, class... Rest> inline constexpr bool all_same = (std::is_same_v<First, Rest> && ...);

template <class Row, class R, class... A> constexpr auto same_bits() {
    constexpr ops::Options options = Row::definition.options;
    if constexpr (options.needs_result && sizeof...(A) == 1) return conversion<R, A...>();
    else if constexpr (options.bits == Bits::moves) return std::type_identity<Moved<R>(Moved<A>...)>();
    else if constexpr (options.bits == Bits::wraps && (is_integer_type<A> && ...) && all_same<A...>) return std::type_identity<Signed<R>(Signed<A>...)>();
    else return std::type_identity<R(A...)>();
}

// The function type whose loop serves for `Function`.
template <class Row, class Function> struct SameBits { using type = Function; };
template <class Row, class R, class... A> struct SameBits<Row, R(A...)> : decltype(same_bits<Row, R, A...>()) {};

}  // namespace
}  // namespace asnumpy::cpu
