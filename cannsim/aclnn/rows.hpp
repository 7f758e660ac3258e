// The rows' typed loops, by name and dtypes: what elementwise operators are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "kernels/kernels.hpp"
#include "ops/row.hpp"

namespace cannsim {

using asnumpy::DType;
using asnumpy::Signature;

using asnumpy::cpu::Loop;

struct RowLoops {
    std::string_view name;
    std::span<const Signature> signatures;
    std::vector<Loop> loops;  // null: of a type that devices do not have
};

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
