// What every generated CUDA kernel begins with: the operands of a launch, a row applied to one element of each, and folding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ops/element.hpp"

namespace asnumpy::cuda {
namespace {

using ops::Compute;
using ops::Two;

// An operand that is one number of the host, by value.
struct Number {
    alignas(16) unsigned char bytes[16];
};

// Where an element lies: an index for each axis.
template <int Axes> struct Point {
    std::int64_t at[Axes];
};

// What a kernel is given. The axes that are kept come first, then those that are folded; the innermost is the last of its kind.
// Arrays are the inputs that are no numbers, then the stores, then the reductions; strides are in bytes.
template <int Arrays, int Numbers, int Axes> struct Launch {
    Number numbers[Numbers > 0 ? Numbers : 1];
    char* arrays[Arrays];
    std::int64_t strides[Arrays][Axes];
    std::int64_t shape[Axes];
    std::int64_t count;     // elements over the axes that are kept
    std::int64_t folded;    // elements over the axes that are folded, at least 1
    std::int64_t part[Arrays];  // of a reduction: bytes between the results of the blocks that share one, 0 where one block folds it all

    template <int First, int Last> void place(Point<Axes>& point, std::int64_t index) const {
        for (int axis = Last; axis-- > First;) {
            point.at[axis] = index % shape[axis];
            index /= shape[axis];
        }
    }
    template <int Last> char* address(int array, const Point<Axes>& point) const {
        char* place = arrays[array];
        for (int axis = 0; axis < Last; ++axis) place += point.at[axis] * strides[array][axis];
        return place;
    }

    template <class T> T number(int which) const { return ops::load(reinterpret_cast<const T*>(numbers[which].bytes), 0); }
    // Element i of an array that lies like the space.
    template <class T> T load_line(int array, std::int64_t i) const { return ops::load(reinterpret_cast<const T*>(arrays[array]), static_cast<std::size_t>(i)); }
    template <class T> T load(int array, const Point<Axes>& point) const { return ops::load(reinterpret_cast<const T*>(address<Axes>(array, point)), 0); }
    template <class T> void store_line(int array, std::int64_t i, T value) const { ops::store(reinterpret_cast<T*>(arrays[array]), static_cast<std::size_t>(i), value); }
    template <class T> void store(int array, const Point<Axes>& point, T value) const { ops::store(reinterpret_cast<T*>(address<Axes>(array, point)), 0, value); }
    // The result of a reduction, or of this block's part of it.
    template <class T, int Kept> void store_result(int array, const Point<Axes>& point, std::int64_t block, T value) const {
        ops::store(reinterpret_cast<T*>(address<Kept>(array, point) + block * part[array]), 0, value);
    }
};

template <class T> Compute<T> widened(T value) { return static_cast<Compute<T>>(value); }
template <class T> T narrowed(Compute<T> value) { return static_cast<T>(value); }

// A row of one result, by the types in which its operands are stored.
template <class Row, class R, class... A> R apply(A... values) {
    if constexpr (Row::definition.options.needs_result && sizeof...(A) == 1 && (std::is_same_v<R, A> && ...)) {
        return (values, ...);  // a cast to the same type keeps the bits
    } else if constexpr (Row::definition.options.storage) {
        return static_cast<R>(Row::template call<R>(values...));
    } else {
        return narrowed<R>(static_cast<Compute<R>>(Row::template call<R>(widened(values)...)));
    }
}
template <class Row, class R, class S, class... A> Two<R, S> apply_two(A... values) {
    const Two<Compute<R>, Compute<S>> both = Row::template call<Two<R, S>>(widened(values)...);
    return {narrowed<R>(both.first), narrowed<S>(both.second)};
}

// Values of T that are folded: 16-bit floats as float32, rounded when they are stored.
template <class Row, class T> Compute<T> combined(Compute<T> a, Compute<T> b) {
    if constexpr (Row::definition.options.storage) return widened(apply<Row, T>(narrowed<T>(a), narrowed<T>(b)));
    else return static_cast<Compute<T>>(Row::template call<T>(a, b));
}
// The values of the block's first threads as one, in thread 0; all threads call it.
template <class Row, class T> Compute<T> fold_block(Compute<T> value, Compute<T>* shared, int thread, int threads, int active) {
    shared[thread] = value;
    for (int width = threads / 2; width > 0; width /= 2) {
        __syncthreads();
        if (thread < width && thread + width < active) shared[thread] = combined<Row, T>(shared[thread], shared[thread + width]);
    }
    __syncthreads();
    return shared[0];
}

}  // namespace
}  // namespace asnumpy::cuda
