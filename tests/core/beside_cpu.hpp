// Operations on a simulated device beside the CPU backend: arrays in both memories, and the comparison of what comes out.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "ascend/lower/lowering.hpp"
#include "ascend_device.hpp"
#include "ascend_values.hpp"
#include "base/error.hpp"
#include "cpu/backend.hpp"

namespace asnumpy::testing {

inline int failures = 0, checks = 0;
inline std::map<std::string, int> shown;
inline std::mt19937 randomness(7);

inline void fail(const std::string& where, const std::string& what) {
    ++failures;
    if (++shown[where] <= 3) std::fprintf(stderr, "failed: %s: %s\n", where.c_str(), what.c_str());
}

// An array of the host and, with the same layout, of the device.
struct Both {
    Bytes memory;
    Tensor host, device;
};

enum class Layout { contiguous, transposed, stepped };

inline Tensor laid_out(DType d, const Dims& shape, Layout layout, std::size_t& bytes) {
    const auto item = static_cast<std::int64_t>(itemsize(d));
    Tensor t{nullptr, d, shape, Dims(shape.size())};
    std::int64_t stride = layout == Layout::stepped ? 2 * item : item;
    for (int i = 0; i < shape.size(); ++i) {
        const int axis = layout == Layout::transposed ? i : shape.size() - 1 - i;
        t.strides[axis] = stride;
        stride *= shape[axis];
    }
    bytes = static_cast<std::size_t>(std::max(stride, item));
    return t;
}

inline Both filled(TestDevice& device, DType d, const Dims& shape, Layout layout, const Bytes& values) {
    Both both;
    std::size_t bytes;
    both.host = laid_out(d, shape, layout, bytes);
    both.memory.resize(bytes);
    const std::size_t item = itemsize(d), count = values.size() / item;
    for (std::size_t at = 0; at < bytes; at += item) std::memcpy(both.memory.data() + at, values.data() + randomness() % count * item, item);
    both.device = both.host;
    both.device.data = device.upload(both.memory, d, Dims{static_cast<std::int64_t>(bytes / item)}).data;
    return both;
}
inline void attach(Both& both) { both.host.data = reinterpret_cast<char*>(both.memory.data()); }

inline Bytes elements(const Tensor& t, const std::byte* memory) {
    const std::size_t item = itemsize(t.dtype);
    Bytes result(static_cast<std::size_t>(count(t.shape)) * item);
    std::vector<std::int64_t> index(static_cast<std::size_t>(t.shape.size()), 0);
    for (std::size_t to = 0; to < result.size(); to += item) {
        std::int64_t from = 0;
        for (int axis = 0; axis < t.shape.size(); ++axis) from += index[static_cast<std::size_t>(axis)] * t.strides[axis];
        std::memcpy(result.data() + to, memory + from, item);
        for (int axis = t.shape.size() - 1; axis >= 0 && ++index[static_cast<std::size_t>(axis)] == t.shape[axis]; --axis) index[static_cast<std::size_t>(axis)] = 0;
    }
    return result;
}

inline bool any_nan(const std::byte* value, DType d) {
    return dispatch(d, [&]<class T>() {
        T x;
        std::memcpy(static_cast<void*>(&x), value, sizeof(T));
        if constexpr (is_complex_v<T>) return x.real() != x.real() || x.imag() != x.imag();
        else return false;
    });
}

// `scale`: differences that do not count; below zero: of several complex NaNs each may be the result.
inline void compare(const std::string& where, Both& out, TestDevice& device, double places, double scale = 0) {
    ++checks;
    const Bytes want = elements(out.host, out.memory.data()), have = device.download(out.device);
    const DType d = out.host.dtype;
    for (std::size_t at = 0; at < want.size(); at += itemsize(d)) {
        if (close(want.data() + at, have.data() + at, d, places)) continue;
        if (scale < 0 && any_nan(want.data() + at, d) && any_nan(have.data() + at, d)) continue;
        const auto number = [d](const std::byte* value) {
            return dispatch(d, [&]<class T>() -> double {
                T x;
                std::memcpy(static_cast<void*>(&x), value, sizeof(T));
                if constexpr (is_narrow_v<T> || is_complex_v<T>) return 0;
                else return static_cast<double>(static_cast<std::conditional_t<is_half_v<T>, float, T>>(x));
            });
        };
        if (scale > 0 && std::fabs(number(want.data() + at) - number(have.data() + at)) <= scale && !is_complex(d)) continue;
        fail(where, "element " + std::to_string(at / itemsize(d)) + " of " + to_string(out.host.shape) + " is " + show(have.data() + at, d) + ", expected " + show(want.data() + at, d));
    }
}

// Values among which sums and products stay finite.
inline Bytes tame(DType d) {
    Bytes bytes;
    dispatch(d, [&]<class T>() {
        for (const double v : {0.0, 1.0, 2.0, 3.0, 1.5, 0.5, 1.0, 2.25}) {
            if constexpr (is_narrow_v<T>) {
                Bytes one(sizeof(T), static_cast<std::byte>(static_cast<int>(v)));
                bytes.insert(bytes.end(), one.begin(), one.end());
            } else if constexpr (is_half_v<T>) append(bytes, T(static_cast<float>(v)));
            else if constexpr (is_complex_v<T>) append(bytes, T(static_cast<typename T::value_type>(v), static_cast<typename T::value_type>(1 - v)));
            else append(bytes, static_cast<T>(v));
        }
    });
    return bytes;
}
inline Bytes edges(DType d) { return edge_values(row(find_row("add")), Signature{2, 1, {d, d}, {d}}, 0); }
inline bool inexact(DType d) { return is_float(d) || is_complex(d); }

inline void guarded(const std::string& what, const std::function<void()>& check) {
    try {
        check();
    } catch (const std::exception& error) {
        fail(what, error.what());
    }
}

inline int verdict() {
    std::printf("%d comparisons, %d failures in %zu of them\n", checks, failures, shown.size());
    return failures == 0 ? 0 : 1;
}

}  // namespace asnumpy::testing
