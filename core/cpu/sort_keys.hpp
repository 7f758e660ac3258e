// The order of numbers as that of unsigned integers of their size, and a stable sort of such integers within the cache.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/dtype.hpp"

namespace asnumpy::cpu {

enum class KeyKind : std::uint8_t { whole, signed_whole, floating };

// Equal numbers have equal keys, so -0.0 has that of 0.0; every NaN has the largest key. `infinity`: its bits.
template <class B, KeyKind kind, B infinity = 0> struct Keys {
    using Bits = B;
    static constexpr bool floats = kind == KeyKind::floating;
    static constexpr B sign = static_cast<B>(B{1} << (std::numeric_limits<B>::digits - 1)), zero = sign, nan = std::numeric_limits<B>::max();

    static B key(B bits) {
        if constexpr (kind == KeyKind::whole) return bits;
        if constexpr (kind == KeyKind::signed_whole) return static_cast<B>(bits ^ sign);
        const B magnitude = static_cast<B>(bits & static_cast<B>(~sign));
        if (magnitude > infinity) return nan;
        const B turned = static_cast<B>(bits & sign ? ~bits : bits ^ sign);
        return magnitude == 0 ? zero : turned;
    }
    // Of the numbers that a key stands for, one.
    static B bits(B key) {
        if constexpr (kind == KeyKind::whole) return key;
        if constexpr (kind == KeyKind::signed_whole) return static_cast<B>(key ^ sign);
        return static_cast<B>(key & sign ? key ^ sign : ~key);
    }
};

// Calls f<Keys>() with those of a dtype; false, and no call, where it has none.
template <class F> bool with_keys(DType d, F&& f) {
    using enum KeyKind;
    switch (d) {
        case DType::boolean:
        case DType::uint8: f.template operator()<Keys<std::uint8_t, whole>>(); return true;
        case DType::uint16: f.template operator()<Keys<std::uint16_t, whole>>(); return true;
        case DType::uint32: f.template operator()<Keys<std::uint32_t, whole>>(); return true;
        case DType::uint64: f.template operator()<Keys<std::uint64_t, whole>>(); return true;
        case DType::int8: f.template operator()<Keys<std::uint8_t, signed_whole>>(); return true;
        case DType::int16: f.template operator()<Keys<std::uint16_t, signed_whole>>(); return true;
        case DType::int32: f.template operator()<Keys<std::uint32_t, signed_whole>>(); return true;
        case DType::int64: f.template operator()<Keys<std::uint64_t, signed_whole>>(); return true;
        case DType::float16: f.template operator()<Keys<std::uint16_t, floating, 0x7c00>>(); return true;
        case DType::float32: f.template operator()<Keys<std::uint32_t, floating, 0x7f800000>>(); return true;
        case DType::float64: f.template operator()<Keys<std::uint64_t, floating, 0x7ff0000000000000>>(); return true;
        default: return false;
    }
}
inline bool has_keys(DType d) { return with_keys(d, []<class>() {}); }

// A key with the place that it came from.
template <class K> struct Placed {
    K key, place;
};
template <class K> K key_of(K key) { return key; }
template <class K> K key_of(const Placed<K>& element) { return element.key; }

template <class E> void insert_in_order(E* a, std::int64_t n) {
    for (std::int64_t i = 1; i < n; ++i) {
        const E moved = a[i];
        std::int64_t at = i;
        for (; at > 0 && key_of(a[at - 1]) > key_of(moved); --at) a[at] = a[at - 1];
        a[at] = moved;
    }
}

// Stable, with `other` of n elements as scratch. Of the bits that differ, the upper ones are sorted by digits, as many as make it
// unlikely that two keys are alike in them; what is alike nevertheless is sorted by itself. spread: of keys whose upper bits are
// mostly exponents, how many bits more that takes.
template <class E> void sort_by_digits(E* a, std::int64_t n, E* other, int spread = 0) {
    constexpr std::int64_t few = 24;
    constexpr int digit_bits = 8, values = 1 << digit_bits;
    if (n <= few) return insert_in_order(a, n);
    using K = decltype(key_of(*a));
    const K first = key_of(a[0]);
    K differing = 0;
    bool in_order = true;
    for (std::int64_t i = 1; i < n; ++i) {
        differing |= static_cast<K>(key_of(a[i]) ^ first);
        in_order &= key_of(a[i - 1]) <= key_of(a[i]);
    }
    if (in_order) return;
    const int top = std::bit_width(differing);
    const int digits = std::min(top + digit_bits - 1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) + digit_bits + spread) / digit_bits;
    const int low = std::max(0, top - digit_bits * digits);

    std::array<std::array<std::int64_t, values>, 8> counts;
    for (int d = 0; d < digits; ++d) counts[static_cast<std::size_t>(d)].fill(0);
    for (std::int64_t i = 0; i < n; ++i) {
        const std::uint64_t key = static_cast<std::uint64_t>(key_of(a[i])) >> low;
        for (int d = 0; d < digits; ++d) ++counts[static_cast<std::size_t>(d)][key >> (digit_bits * d) & (values - 1)];
    }
    E *from = a, *to = other;
    for (int d = 0; d < digits; ++d) {
        auto& places = counts[static_cast<std::size_t>(d)];
        const int shift = low + digit_bits * d;
        const auto digit = [shift](const E& element) { return static_cast<std::uint64_t>(key_of(element)) >> shift & (values - 1); };
        if (places[digit(from[0])] == n) continue;
        std::int64_t total = 0;
        for (std::int64_t& place : places) total += std::exchange(place, total);
        for (std::int64_t i = 0; i < n; ++i) to[places[digit(from[i])]++] = from[i];
        std::swap(from, to);
    }
    if (from != a) std::copy(from, from + n, a);
    if (low == 0) return;
    for (std::int64_t begin = 0, end; begin < n; begin = end) {
        const auto upper = static_cast<std::uint64_t>(key_of(a[begin])) >> low;
        for (end = begin + 1; end < n && static_cast<std::uint64_t>(key_of(a[end])) >> low == upper;) ++end;
        if (end - begin > 1) sort_by_digits(a + begin, end - begin, other);
    }
}

}  // namespace asnumpy::cpu
