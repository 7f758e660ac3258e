// Walking over arrays of any strides: what operators that are not elementwise are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "aclnn/call.hpp"

namespace cannsim {

// Reads or writes the elements of an array in C order, a piece at a time.
class Cursor {
public:
    explicit Cursor(const Array&);
    bool is_contiguous() const { return contiguous_; }
    bool is_splat() const { return splat_; }
    std::byte* at(std::int64_t element) const { return array_.data + element * static_cast<std::int64_t>(item_); }  // of contiguous ones
    void seek(std::int64_t element);                     // the next one to be read or written
    void gather(std::byte* to, std::int64_t n);          // the next n elements; all the same for a splat
    void scatter(const std::byte* from, std::int64_t n);

private:
    template <class F> void walk(std::int64_t n, F&& piece);

    Array array_;            // collapsed: neighbouring axes joined where one stride serves both
    std::size_t item_;
    bool contiguous_, splat_;
    std::vector<std::int64_t> index_;
    std::byte* place_;
};

Array broadcast_to(const Array&, const Dims& shape);  // the shapes fit
void splat(std::byte* to, const void* value, std::size_t item, std::int64_t n);
// Same shapes; any dtypes (converted as the row cast converts), any strides. The arrays must not overlap.
void copy(const Array& from, const Array& to);

// Memory of an array's own, in C order.
struct Owned : Array {
    std::unique_ptr<std::byte[]> memory;
};
Owned make(DType, const Dims& shape);
Owned contiguous(const Array&, DType);                 // always a copy
inline Owned contiguous(const Array& array) { return contiguous(array, array.dtype); }

// The array with the axes in another order, or one axis taken out at an index.
Array permuted(const Array&, std::span<const int> axes);
Array at(const Array&, int axis, std::int64_t index);
// The array's lines along `axis`: calls f(first element, ...) for each index of the other axes, for arrays of equal other axes.
template <class F, class... A> void each_line(int axis, F&& f, const A&... arrays);

// Calls f.template operator()<T>() with the C++ type of a device's dtype.
template <class F> decltype(auto) dispatch(DType dtype, F&& f) {
    if (dtype == DType::longdouble || dtype == DType::clongdouble || asnumpy::is_narrow(dtype)) std::abort();  // no tensor has them
    return asnumpy::dispatch(dtype, [&]<class T>() -> decltype(auto) {
        if constexpr (std::is_same_v<T, long double>) return f.template operator()<double>();
        else if constexpr (asnumpy::is_narrow_v<T>) return f.template operator()<float>();
        else if constexpr (std::is_same_v<T, std::complex<long double>>) return f.template operator()<std::complex<double>>();
        else return f.template operator()<T>();
    });
}

template <class F, class... A> void each_line(int axis, F&& f, const A&... arrays) {
    const std::array<const Array*, sizeof...(A)> all{&arrays...};
    const Dims& shape = all[0]->shape;
    std::int64_t lines = 1;
    for (int i = 0; i < shape.size(); ++i)
        if (i != axis) lines *= shape[i];
    std::array<std::byte*, sizeof...(A)> place;
    for (std::size_t k = 0; k < all.size(); ++k) place[k] = all[k]->data;
    Dims index(shape.size());
    for (std::int64_t line = 0; line < lines; ++line) {
        [&]<std::size_t... K>(std::index_sequence<K...>) { f(place[K]...); }(std::index_sequence_for<A...>{});
        for (int i = shape.size() - 1; i >= 0; --i) {
            if (i == axis) continue;
            if (++index[i] < shape[i]) {
                for (std::size_t k = 0; k < all.size(); ++k) place[k] += all[k]->strides[i];
                break;
            }
            index[i] = 0;
            for (std::size_t k = 0; k < all.size(); ++k) place[k] -= all[k]->strides[i] * (shape[i] - 1);
        }
    }
}

}  // namespace cannsim
