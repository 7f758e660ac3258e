// What the tests of the queue are written with: short arrays of doubles, operations by name, values, a check that ends the program.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "runtime/queue.hpp"

namespace asnumpy::testing {

inline void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

// Whether it fails for want of memory.
template <class F> bool lacks_memory(F&& f) {
    try {
        f();
    } catch (const MemoryError&) {
        return true;
    }
    return false;
}

inline Signature binary(DType d) {
    Signature s;
    s.nin = 2;
    s.nout = 1;
    s.in = {d, d};
    s.out = {d};
    return s;
}

inline Array op(const char* name, const Array& a, const Array& b) {
    const RowId id = find_row(name);
    const Input in[]{a, b};
    return apply(id, find_loop(id, binary(a.dtype)), in)[0];
}

inline Array iota(std::int64_t n, double start = 0) {
    Array a = new_array(Dims{n}, DType::float64, default_pool());
    make_ready(a);
    for (std::int64_t i = 0; i < n; ++i) reinterpret_cast<double*>(a.data())[i] = start + static_cast<double>(i);
    return a;
}

inline double at(const Array& a, std::int64_t i) {
    make_ready(a, Access::read);
    return *reinterpret_cast<const double*>(a.data() + i * a.view.strides.back());
}

inline Array slice(Array a, std::int64_t start, std::int64_t stop) {
    a.view.offset += start * a.view.strides[0];
    a.view.shape[0] = stop - start;
    return a;
}

}  // namespace asnumpy::testing
