// The rows' typed loops, by name and dtypes: what elementwise operators are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/dtype.hpp"
#include "ops/row.hpp"

namespace cannsim {

using asnumpy::DType;
using asnumpy::Signature;

// Over n contiguous elements; an output may be one of the inputs.
using Loop = void (*)(void* const* out, const void* const* in, std::size_t n);

struct RowLoops {
    std::string_view name;
    std::span<const Signature> signatures;
    std::span<const Loop> loops;  // null: of a type that devices do not have
};
using RowTable = std::span<const RowLoops>;

const RowLoops& find_row(std::string_view name);                      // Refusal when there is none
// The loop whose inputs are all of these dtypes; -1: none. The first in NumPy's order wins.
int find_loop(const RowLoops&, std::span<const DType> inputs);
Loop converter(DType from, DType to);
// The operators that are a row (aclnnAtan2), and their in-place forms.
void add_row_operators();

template <class T> T scalar_as(const asnumpy::Scalar& value) {
    T result{};
    void* const out = &result;
    const void* const in = value.bytes.data();
    converter(value.dtype, asnumpy::dtype_of_v<T>)(&out, &in, 1);
    return result;
}

}  // namespace cannsim
