// The plainest calls of NumPy's commonest functions and methods, answered before any function of Python's runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "python/array_object.hpp"
#include "runtime/single.hpp"

namespace asnumpy::python {

constexpr bool is_common(DType d) {  // what NumPy has, but for halves and long doubles: they are added up in another dtype or order
    return d <= DType::uint64 || d == DType::float32 || d == DType::float64 || d == DType::complex64 || d == DType::complex128;
}
// Whether NumPy's own function is quicker on the elements than a launch.
inline bool is_for_numpy(const Array& a) { return a.ndim() > 0 && a.size() > 0 && a.size() <= fewest_for_launch && is_common(a.dtype) && is_at_hand(a); }

struct QuickCall {
    std::string_view name;  // a method's begins with "ndarray."
    // A new reference; null, without an exception and with nothing done, for a call that wants a closer look.
    PyObject* (*answer)(QuickCall&, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
    bool counted = false;         // as a call of NumPy's: fallbacks() lists it
    std::atomic<bool> on{true};   // false while a rule of the user's names the function
    PyObject* numpys = nullptr;   // NumPy's function, which lives as long as the process
    std::atomic<std::uint64_t> count{0};  // of the calls that NumPy answered, where they are counted
};

// Null where there is none. `numpys`: NumPy's function of that name.
QuickCall* quick_call(std::string_view name, PyObject* numpys);
// Those that NumPy's own function answers: for few elements that are at hand it is the quickest.
std::span<QuickCall> calls_of_numpy();

}  // namespace asnumpy::python
